#!/bin/sh
# What lint calls refused, before a real API server (README.md beside this file).
#
#     lint.sh EGRESSC
#
# kube-apiserver and etcd are looked for in KUBE_ASSETS and on the PATH; where one of them is not there, the test is
# skipped (exit status 77). Nothing is fetched, and nothing outlives the test.
set -eu
program=$1
here=$(dirname "$0")

. "$here/assets.sh"
exec python3 "$here/lint.py" --bin "$program" --kube-apiserver "$server" --etcd "$store"
