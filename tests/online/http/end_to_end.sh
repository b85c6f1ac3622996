#!/bin/sh
# A cluster that is served, read by egressc-snapshot, and judged by egressc: end_to_end.sh SERVE SNAPSHOT EGRESSC
set -eu
serve=$1 snapshot=$2 egressc=$3
here=$(dirname "$0")
config=fixtures/configs/deny_all.yaml
work=$(mktemp -d /tmp/egressc-test.XXXXXX)
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY KUBECONFIG KUBERNETES_SERVICE_HOST 2>/dev/null || true
stop() {
    exec 9>&- # the server ends with its input
    rm -rf "$work"
}
trap stop EXIT
passed=0
fail() {
    echo "FAILED: $1"
    exit 1
}
ok() {
    passed=$((passed + 1))
}
"$here/certificates.sh" "$work"

# A server with these options, and a kubeconfig for it. Its input is descriptor 9, which ends the server before.
start() {
    exec 9>&-
    rm -f "$work/input" "$work/port"
    mkfifo "$work/input"
    "$serve" --tls "$work/server.pem" "$work/server.key" "$@" <"$work/input" >"$work/port" 9>&- &
    exec 9>"$work/input"
    tries=0
    while [ ! -s "$work/port" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "the server does not start"
        sleep 0.1
    done
    cat >"$work/kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: c, user: auditor}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$(cat "$work/port")", certificate-authority: authority.pem}}]
users:
  - {name: auditor, user: {token: of-the-auditor}}
END
}
take() { # EXPECTED-STATUS OPTIONS...
    expected=$1
    shift
    status=0
    "$snapshot" --kubeconfig "$work/kubeconfig" --output "$work/snap" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$expected" ] || {
        cat "$work/err"
        fail "egressc-snapshot ended with $status, not $expected"
    }
    [ ! -s "$work/out" ] || fail "it is not quiet"
    ! grep -q "of-the-auditor" "$work/err" || fail "the token was printed"
    ok
}
verify() { # EXPECTED-STATUS WORDS
    status=0
    "$egressc" verify --config "$config" --quiet "$work/snap" >"$work/report" 2>&1 || status=$?
    [ $status -eq "$1" ] || {
        cat "$work/report"
        fail "egressc verify ended with $status, not $1"
    }
    grep -q -e "$2" "$work/report" || {
        cat "$work/report"
        fail "egressc verify does not say: $2"
    }
    ok
}
nothing_left() {
    left=$(find "$work" -name 'snap*')
    [ -z "$left" ] || fail "left behind: $left"
    ok
}

# A policy that widens is found, and what is secret does not get into the snapshot.
start --token of-the-auditor --folder "$here/cluster" --busy networkpolicies
take 0
[ ! -s "$work/err" ] || fail "it is not quiet"
verify 1 'NetworkPolicy agents/debug lets .* \[policy-widens-egress\]'
! grep -rq hush "$work/snap" || fail "a secret is in the snapshot"
! grep -rq of-the-auditor "$work/snap" || fail "the token is in the snapshot"
! grep -q 'snapshot-index' "$work/report" || fail "the index does not hold"
[ "$(stat -c %a "$work/snap")" = 700 ] || fail "others may read the snapshot"
ok

# It is replaced with --force only; --config and --namespace narrow it.
take 2
grep -q 'exists; --force' "$work/err" || fail "why it failed is not said"
take 0 --force --config "$config" --namespace agents
! grep -q ciliumnetworkpolicies "$work/snap/snapshot.json" || fail "the config does not choose"
[ -f "$work/snap/pods.agents.json" ] || fail "the namespace does not choose"
rm -r "$work/snap"

# What may not be listed cannot be decided, and the remedy says which right is missing.
start --token of-the-auditor --folder "$here/cluster" --forbid networkpolicies
take 1
grep -q 'networkpolicies: forbidden: networkpolicies is forbidden: User "auditor"' "$work/err" || fail "it is not said"
verify 1 'grant the reader `list` on networkpolicies.networking.k8s.io in namespace agents, and take the snapshot again \[not-evaluable\]'
rm -r "$work/snap"

# A server that is not believed, or does not believe us, or is not there.
sed -i 's/authority.pem/stranger.pem/' "$work/kubeconfig"
take 2
grep -q 'TLS failed' "$work/err" || fail "TLS is not said"
nothing_left
sed -i 's/stranger.pem/authority.pem/; s/token: of-the-auditor/token: of-a-stranger/' "$work/kubeconfig"
take 1
grep -q 'pods: forbidden: Unauthorized' "$work/err" || fail "401 is not said"
rm -r "$work/snap"
sed -i 's/127.0.0.1:[0-9]*/127.0.0.1:1/' "$work/kubeconfig"
take 2 --retries 1
nothing_left

# A plug-in is asked again where its token or its certificate is not taken any more, and where it has expired. It gives
# one the first time and another one after that.
plugin() { # FIRST-STATUS LATER-STATUS
    rm -f "$work/asked"
    printf '%s' "$1" >"$work/first"
    printf '%s' "$2" >"$work/later"
    cat >"$work/plugin" <<END
#!/bin/sh
file=$work/later
[ -e "$work/asked" ] || file=$work/first
echo asked >>"$work/asked"
printf '%s\n' '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":'"\$(cat "\$file")"'}'
END
    chmod +x "$work/plugin"
    sed -i 's/token: of-the-auditor/exec: {apiVersion: client.authentication.k8s.io\/v1, command: .\/plugin, interactiveMode: Never}/' \
        "$work/kubeconfig"
}
asked() { # TIMES
    [ "$(grep -c asked "$work/asked")" = "$1" ] || fail "the plug-in was not asked $1 times"
    ok
}
certificate() { # NAME
    printf '{"clientCertificateData":"%s","clientKeyData":"%s"}' "$(sed 's/$/\\n/' "$work/$1.pem" | tr -d '\n')" \
        "$(sed 's/$/\\n/' "$work/$1.key" | tr -d '\n')"
}
start --token of-the-auditor --folder "$here/cluster"
plugin '{"token":"that-is-old"}' '{"token":"of-the-auditor"}'
take 0
asked 2
rm -r "$work/snap"
start --client "$work/authority.pem" renewed --folder "$here/cluster"
plugin "$(certificate client)" "$(certificate renewed)"
take 0
asked 2
rm -r "$work/snap"
start --token of-the-auditor --folder "$here/cluster" --slow 150
plugin '{"token":"of-the-auditor","expirationTimestamp":"'"$(date -u -d '+1 second' +%FT%TZ)"'"}' '{"token":"of-the-auditor"}'
take 0
asked 2
rm -r "$work/snap"
start --token of-the-auditor --folder "$here/cluster"
plugin '{"token":"that-is-old"}' '{}'
take 1
grep -q 'pods: forbidden: Unauthorized' "$work/err" || fail "401 is not said"
rm -r "$work/snap"

# A signal in the middle leaves nothing, and ends the program as signals do.
start --token of-the-auditor --folder "$here/cluster" --slow 300
for signal in INT TERM; do
    # A shell lets its jobs ignore SIGINT; env lets the program hear it.
    env --default-signal=INT "$snapshot" --kubeconfig "$work/kubeconfig" --output "$work/snap" >"$work/out" 2>"$work/err" &
    child=$!
    sleep 1
    kill -$signal $child
    status=0
    wait $child || status=$?
    [ $status -gt 128 ] || fail "SIG$signal does not end it (status $status)"
    nothing_left
done

# A disk that is full leaves nothing.
if [ -w /dev/full ] && command -v prlimit >/dev/null 2>&1; then
    start --token of-the-auditor --folder "$here/cluster" --pods 5000
    status=0
    (trap '' XFSZ; prlimit --fsize=100000 "$snapshot" --kubeconfig "$work/kubeconfig" --output "$work/snap") 2>"$work/err" || status=$?
    [ $status -eq 2 ] || fail "a file that cannot grow: status $status"
    grep -q 'could not be written' "$work/err" || fail "why it failed is not said"
    nothing_left
fi
echo "$passed checks passed"
