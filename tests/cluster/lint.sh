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
exec python3 "$here/lint.py" --bin "$program" --kube-apiserver "$server" --etcd "$store"
