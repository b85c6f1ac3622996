#!/bin/sh
# A snapshot of a real API server, and what egressc finds in it (README.md beside this file).
#
#     snapshot.sh EGRESSC EGRESSC-SNAPSHOT
#
# kube-apiserver and etcd are looked for in KUBE_ASSETS and on the PATH; where one of them is not there, the test is
# skipped (exit status 77). Nothing is fetched, and nothing outlives the test.
set -eu
program=$1
snapshot=$2
here=$(dirname "$0")

. "$here/assets.sh"
exec python3 "$here/snapshot.py" --bin "$program" --snapshot "$snapshot" --kube-apiserver "$server" --etcd "$store"
