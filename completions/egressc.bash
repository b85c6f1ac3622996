# bash completion of egressc, made by 'egressc help --completion bash'
_egressc() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local commands='compile explain help lint verify version' options='' words='' kind='' inputs=words
    COMPREPLY=()
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $before in
    --baseline) kind=files ;;
    --boundary) return ;;
    --cilium-version) return ;;
    --completion) words='bash fish zsh' kind=words ;;
    --config) kind=files ;;
    --dns-name) return ;;
    --engine) words='core cilium' kind=words ;;
    --exclude) return ;;
    --expect) words='allow deny' kind=words ;;
    --facts) kind=files ;;
    --format) words='yaml json' kind=words ;;
    --grant) kind=files ;;
    --input) kind=files ;;
    --jobs) return ;;
    --kubernetes-version) return ;;
    --labels) return ;;
    --max-alias) return ;;
    --max-bytes) return ;;
    --max-depth) return ;;
    --max-nodes) return ;;
    --max-scalar) return ;;
    --namespace) return ;;
    --output) kind=files ;;
    --output-dir) kind=folders ;;
    --pod) return ;;
    --port) return ;;
    --report) words='text json sarif junit github markdown' kind=words ;;
    --require) return ;;
    --server-name) return ;;
    --to) return ;;
    --verify-only) words='named-object union ingress fence' kind=words ;;
    esac
    if ((COMP_CWORD == 1)); then
        words=$commands kind=words
    fi
    case ${COMP_WORDS[1]} in
    compile)
        options='--boundary --check --cilium-version --config --facts --fence --format --grant --help --input --kubernetes-version --max-alias --max-bytes --max-depth --max-nodes --max-scalar --output --output-dir --quiet --report --strict'
        ;;
    explain)
        options='--all --cilium-version --config --dns-name --engine --exclude --expect --facts --help --jobs --kubernetes-version --labels --max-alias --max-bytes --max-depth --max-nodes --max-scalar --namespace --output --pod --port --quiet --report --server-name --strict --to'
        inputs=files
        ;;
    help)
        options='--completion --help --manual --output'
        ;;
    lint)
        options='--all --allow-growth --baseline --cilium-version --config --diff --exclude --facts --fix --help --jobs --kubernetes-version --max-alias --max-bytes --max-depth --max-nodes --max-scalar --namespace --output --quiet --report --strict --update-baseline'
        inputs=files
        ;;
    verify)
        options='--all --boundary --cilium-version --config --exclude --facts --grant --help --jobs --kubernetes-version --labels --max-alias --max-bytes --max-depth --max-nodes --max-scalar --namespace --output --pod --quiet --report --require --strict --verify-only'
        inputs=files
        ;;
    version)
        options='--help'
        ;;
    esac
    if [[ -z $kind && $current == -* ]]; then
        words=$options kind=words
    elif [[ -z $kind ]]; then
        kind=$inputs
        [[ ${COMP_WORDS[1]} == help ]] && words="$commands after-document-end allowlist-voided baseline-gone cidr-host-bits cidr-inside-cluster cluster-domain-differs cluster-fact-conflict config-unusable deny-fqdn-pruned deny-only deny-reopened dns-missing dns-narrowing-lifted dns-one-protocol dns-resolver-mismatch dns-search-gap dns-unrestricted duplicate-key duplicate-object egress-not-listed empty-egress-inert empty-peer-opens-all empty-peer-selects-nothing empty-ports-allow-nothing encoding every-namespace fence-drift fence-identity fence-inert fence-missing fence-param fence-unreadable foreign-kind fqdn-dns-gap fqdn-without-dns grant-empty grant-not-permitted host-network host-ports-unused host-unusable identity-label-dropped ignore-without-reason ingress-of-destination invalid-cidr invalid-fqdn invalid-l7 invalid-label invalid-name invalid-peer invalid-port invalid-rule invalid-selector label-domain-not-allowed limit metadata-address might-select named-object-mismatch named-object-missing named-port-unresolved namespace-absent narrowing-unsupported nat64-open negative-only-selector no-covering-policy no-enforcing-policy no-policies not-an-object not-evaluable not-examined not-matched-by-pattern not-read null-entry one-family or-for-and own-namespace-only peer-host-network peer-undecidable per-sandbox-unusable permitted-hosts-unread pod-label-missing policy-types-absent policy-unenforceable policy-widens-egress port-open ports-to-anywhere priority-tie profile-overlap profile-unusable redundant-rule scalar-surprise selects-nothing server-name-unused service-port service-unresolved snapshot-index subdomain-depth syntax system-namespace template template-label-mismatch unexpected-answer unknown-field unknown-kind-version unreadable unused-ignore unused-rule version-dependent wrong-type"
    fi
    case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    files) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    esac
}
complete -F _egressc egressc
