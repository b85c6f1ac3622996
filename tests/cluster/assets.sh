# Sourced by the scripts beside it: sets `server` and `store` to kube-apiserver and etcd, from KUBE_ASSETS or the PATH, or
# ends them as skipped (exit status 77).
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
