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

find_asset() {
    if [ -n "${KUBE_ASSETS:-}" ] && [ -x "$KUBE_ASSETS/$1" ]; then
        echo "$KUBE_ASSETS/$1"
    else
        command -v "$1" || true
    fi
}

server=$(find_asset kube-apiserver)
store=$(find_asset etcd)
for asset in "kube-apiserver:$server" "etcd:$store" "openssl:$(command -v openssl || true)"; do
    if [ -z "${asset#*:}" ]; then
        echo "skipped: ${asset%%:*} is neither on the PATH nor in KUBE_ASSETS"
        exit 77
    fi
done
exec python3 "$here/snapshot.py" --bin "$program" --snapshot "$snapshot" --kube-apiserver "$server" --etcd "$store"
