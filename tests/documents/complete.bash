#!/bin/bash
# What bash offers behind a command line: complete.bash, in the source folder.
cd "$(dirname "$0")/../.." || exit 2
source completions/egressc.bash
failed=0

# compopt works inside a completion only; what it was asked is of no interest here.
compopt() { return 0; }

offers() { # EXPECTED WORD...: with the cursor at the last word, exactly these are offered, in any order
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _egressc
    local got
    got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
    got=${got% }
    expected=$(tr ' ' '\n' <<<"$expected" | sort | tr '\n' ' ')
    expected=${expected% }
    if [[ $got != "$expected" ]]; then
        echo "'$*': offered '$got', expected '$expected'"
        failed=1
    fi
}

offers 'verify version' egressc ver
offers '--report --require' egressc verify --re
offers 'sarif' egressc verify --report sa
offers 'json junit' egressc verify --report = j
offers 'text json sarif junit github markdown' egressc explain --report =
offers 'bash fish zsh' egressc help --completion ''
offers '--completion' egressc help --c
offers 'or-for-and' egressc help or-f
offers 'compile' egressc help comp
offers '' egressc compile --boundary 1
offers 'fixtures' egressc verify fixt
offers 'README.md' egressc verify --config READ
offers 'completions' egressc compile --output-dir complet
offers '' egressc version x
exit $failed
