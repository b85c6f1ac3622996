#!/bin/sh
# Makes a certificate authority, a server's certificate for the name api.test and 127.0.0.1, one that has expired, a
# client's and a later one for it, and another authority that knows none of them: certificates.sh FOLDER
set -eu
cd "$1"
authority() { # NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.pem" \
        -days 2 -subj "/CN=$1" -addext basicConstraints=critical,CA:TRUE
}
signed() { # NAME DAYS EXTENSIONS
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
    printf '%s\n' "$3" >"$1.ext"
    openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial -out "$1.pem" -days "$2" \
        -extfile "$1.ext"
}
{
    authority authority
    authority stranger
    signed server 2 "subjectAltName=DNS:api.test,IP:127.0.0.1"
    signed other 2 "subjectAltName=DNS:api.test"
    signed expired -1 "subjectAltName=IP:127.0.0.1"
    signed client 2 "extendedKeyUsage=clientAuth"
    signed renewed 2 "extendedKeyUsage=clientAuth"
} >log 2>&1
