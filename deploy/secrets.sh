#!/usr/bin/env bash
# Makes the secrets of compose.yaml, once: what exists stays as it is.
set -euo pipefail
cd "$(dirname "$0")/secrets"
# The folder keeps others out; containers run as other users and have to read the files.
chmod 700 .

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
secret() { [ -s "$1" ] || printf '%s\n' "$2" >"$1"; chmod 444 "$1"; }

secret postgres_password "$(random)"
secret database_url "postgres://waybill:$(cat postgres_password)@postgres:5432/{service}"
secret service_secret "$(random)"
secret redis_password "$(random)"
secret redis_url "redis://:$(cat redis_password)@redis:6379"
secret nats_password "$(random)"
secret nats_url "nats://waybill:$(cat nats_password)@nats:4222"
secret nats.conf "port: 4222
http_port: 8222
jetstream { store_dir: \"/data\" }
authorization { user: waybill, password: \"$(cat nats_password)\" }"
secret s3_access_key "waybill"
secret s3_secret_key "$(random)"
secret s3.json "{\"identities\": [{\"name\": \"waybill\", \"credentials\": [{\"accessKey\": \"$(cat s3_access_key)\", \"secretKey\": \"$(cat s3_secret_key)\"}], \"actions\": [\"Admin\", \"Read\", \"Write\", \"List\"]}]}"
