#!/bin/sh
# Makes the secrets of compose.yaml in ./secrets, once; those that are there stay.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { [ -s "secrets/$1" ] || random > "secrets/$1"; }
make postgres_password
make redis_password
make admin_token
make metrics_token
make api_key
make grafana_password
printf 'sha256:%s' "$(printf %s "$(cat secrets/metrics_token)" | sha256sum | cut -d ' ' -f 1)" > secrets/metrics_token_hash
# The URL of your node or provider, with its key. Until then, a public one.
[ -s secrets/upstream_url ] || printf 'https://ethereum-rpc.publicnode.com' > secrets/upstream_url
# Containers read them as users of their own; the folder keeps others of this machine out.
chmod 644 secrets/*
echo "the key of your first project is in $(pwd)/secrets/api_key"
