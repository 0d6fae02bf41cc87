#!/usr/bin/env bash
# Makes the secrets of compose.yaml, once: what exists stays as it is. Each service has its own for the
# database and for the bus, so that whoever takes over one of them has no more than its rights there.
set -euo pipefail
cd "${1:-$(dirname "$0")/secrets}"
# The folder keeps others out; containers run as other users and have to read the files.
chmod 700 .

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
secret() { [ -s "$1" ] || printf '%s\n' "$2" >"$1"; chmod 444 "$1"; }

secret postgres_password "$(random)"
secret service_secret "$(random)"
secret redis_password "$(random)"
secret redis_url "redis://:$(cat redis_password)@redis:6379"

# <services> rendered by scripts/deployments.mjs
services="auth settings drivers deliveries upload analytics"
# </services>
for service in $services; do
  secret "${service}_database_password" "$(random)"
  secret "${service}_database_url" \
    "postgres://$service:$(cat "${service}_database_password")@postgres:5432/$service"
done

# The services that a service follows, with the name of its consumer: what it may read of the bus.
# <followed> rendered by scripts/deployments.mjs
followed() {
  case $1 in
    auth) echo drivers:auth-drivers analytics:auth-audit deliveries:auth-audit drivers:auth-audit settings:auth-audit upload:auth-audit deliveries:auth-replays ;;
    settings) echo deliveries:settings-replays deliveries:settings-endpoints ;;
    drivers) echo deliveries:drivers-deliveries settings:drivers-settings deliveries:drivers-replays ;;
    deliveries) echo drivers:deliveries-drivers settings:deliveries-settings analytics:deliveries-dead-letters auth:deliveries-dead-letters deliveries:deliveries-dead-letters drivers:deliveries-dead-letters settings:deliveries-dead-letters upload:deliveries-dead-letters deliveries:deliveries-replays analytics:deliveries-handled auth:deliveries-handled deliveries:deliveries-handled drivers:deliveries-handled settings:deliveries-handled upload:deliveries-handled ;;
    upload) echo settings:upload-settings deliveries:upload-replays ;;
    analytics) echo deliveries:analytics-imports deliveries:analytics-deliveries drivers:analytics-drivers deliveries:analytics-sources drivers:analytics-stops deliveries:analytics-replays ;;
  esac
}
# </followed>
# Deliveries alone reads what other systems publish.
reads() { followed "$1"; [ "$1" != deliveries ] || echo intake:deliveries-intake; }

# A stream has to be there before its consumer: whoever comes first makes it. Answers come to _INBOX.
stream() { printf '"$JS.API.STREAM.%s.WAYBILL_%s", ' CREATE "$1" UPDATE "$1" INFO "$1"; }
permissions() {
  local it stream consumer
  printf '"waybill.%s.>", "$JS.API.INFO", ' "$1"
  stream "${1^^}"
  for it in $(reads "$1"); do
    stream=${it%%:*} consumer=${it#*:}
    stream "${stream^^}"
    printf '"$JS.API.CONSUMER.%s.WAYBILL_%s.%s", ' INFO "${stream^^}" "$consumer" MSG.NEXT "${stream^^}" "$consumer"
    printf '"$JS.API.CONSUMER.%s.WAYBILL_%s.%s.>", ' CREATE "${stream^^}" "$consumer"
    printf '"$JS.ACK.WAYBILL_%s.%s.>", ' "${stream^^}" "$consumer"
  done
}
# <watched> rendered by scripts/deployments.mjs
watched='"waybill.deliveries.delivery.imported.v1", "waybill.deliveries.delivery.changed.v1", "waybill.settings.setting.changed.v1", "waybill.settings.announcement.changed.v1"'
# </watched>
producers=$(cat producers 2>/dev/null || true)
users() {
  local service
  for service in $services; do
    printf '    { user: %s, password: "%s", permissions: {\n' "$service" "$(cat "${service}_nats_password")"
    printf '      publish: { allow: [%s] }\n      subscribe: { allow: ["_INBOX.>"] } } }\n' "$(permissions "$service")"
  done
  # Other systems, one a line of the file `producers`: each publishes its dead letters and nothing else. Answers come
  # to an inbox of its own, as those of services carry events.
  for producer in $producers; do
    printf '    { user: producer-%s, password: "%s", permissions: {\n' "$producer" "$(cat "producer-${producer}_nats_password")"
    printf '      publish: { allow: ["waybill.intake.%s.deadletter.raised.v1"] }\n' "$producer"
    printf '      subscribe: { allow: ["_INBOX_%s.>"] } } }\n' "$producer"
  done
  # It only watches, to tell open screens what has changed.
  printf '    { user: gateway, password: "%s", permissions: {\n' "$(cat gateway_nats_password)"
  printf '      publish: { deny: [">"] }\n      subscribe: { allow: ["_INBOX.>", %s] } } }\n' "$watched"
}
for service in $services gateway; do
  secret "${service}_nats_password" "$(random)"
  secret "${service}_nats_url" "nats://$service:$(cat "${service}_nats_password")@nats:4222"
done
for producer in $producers; do
  secret "producer-${producer}_nats_password" "$(random)"
  secret "producer-${producer}_nats_url" \
    "nats://producer-$producer:$(cat "producer-${producer}_nats_password")@nats:4222"
done
secret nats.conf "port: 4222
http_port: 8222
jetstream { store_dir: \"/data\" }
authorization {
  users: [
$(users)
  ]
}"

# Reads and writes the one bucket, and nothing else.
secret s3_access_key "waybill"
secret s3_secret_key "$(random)"
secret s3.json "{\"identities\": [{\"name\": \"waybill\", \"credentials\": [{\"accessKey\": \"$(cat s3_access_key)\", \"secretKey\": \"$(cat s3_secret_key)\"}], \"actions\": [\"Read:waybill\", \"Write:waybill\"]}]}"

secret grafana_password "$(random)"
