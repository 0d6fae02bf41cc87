#!/usr/bin/env bash
# Creates the secrets of compose.yaml that do not exist yet. Each service has its own secrets for the database,
# the bus and the bucket, so that an attacker who takes over a service gets only that service's rights there.
set -euo pipefail
cd "${1:-$(dirname "$0")/secrets}"
# Only the owner can enter the folder. The files are readable, because containers run as other users.
chmod 700 .

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
secret() { [ -s "$1" ] || printf '%s\n' "$2" >"$1"; chmod 444 "$1"; }

# A certificate authority for the servers and services of the composition. Their names are those of compose.yaml, and
# "localhost" for people who open one of their ports.
command -v openssl >/dev/null || { printf 'secrets.sh: openssl is missing. Install it, then try again.\n' >&2; exit 1; }
quiet() {
  local said
  said=$("$@" 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
}
# Removes an existing key first: it is read-only, and then only root could write to it.
key() {
  rm -f "$1"
  quiet openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$1"
}
authority() {
  [ -s ca.pem ] && return
  key ca.key
  quiet openssl req -x509 -new -key ca.key -subj "/CN=Servers of Waybill" -days 3650 -out ca.pem -config <(
    printf '%s\n' '[req]' 'distinguished_name = names' 'x509_extensions = authority' '[names]' '[authority]' \
      'basicConstraints = critical, CA:TRUE' 'keyUsage = critical, keyCertSign, cRLSign' 'subjectKeyIdentifier = hash'
  )
  chmod 400 ca.key
  chmod 444 ca.pem
}
# Creates the certificate of a name, for "serverAuth" and perhaps "clientAuth". Services accept only clients with the
# latter, so a server such as NATS cannot call a service.
certificate() {
  [ -s "$1.crt" ] && return
  key "$1.key"
  quiet openssl x509 -req -in <(openssl req -new -key "$1.key" -subj "/CN=$1") -CA ca.pem -CAkey ca.key \
    -set_serial "0x$(random | cut -c 1-16)" -days 3650 -out "$1.crt" -extfile <(
      printf '%s\n' 'basicConstraints = critical, CA:FALSE' "extendedKeyUsage = $2" "subjectAltName = DNS:$1, DNS:localhost"
    )
  chmod 444 "$1.key" "$1.crt"
}
authority
for server in postgres nats redis s3 otel; do certificate "$server" serverAuth; done

secret postgres_password "$(random)"
# The address of all databases, for `waybill backup` and `waybill restore`.
secret backup_database_url "postgres://waybill:$(cat postgres_password)@postgres:5432/{service}?sslmode=verify-full"
secret service_secret "$(random)"
secret redis_password "$(random)"
secret redis_url "rediss://:$(cat redis_password)@redis:6379"

# <services> rendered by scripts/deployments.mjs
services="auth settings drivers deliveries upload analytics"
# </services>
for service in $services gateway; do certificate "$service" "serverAuth, clientAuth"; done
for service in $services; do
  secret "${service}_database_password" "$(random)"
  secret "${service}_database_url" \
    "postgres://$service:$(cat "${service}_database_password")@postgres:5432/$service?sslmode=verify-full"
done

# Prints the services whose events a service may read, each with the name of its consumer.
# <followed> rendered by scripts/deployments.mjs
followed() {
  case $1 in
    auth) echo drivers:auth-drivers settings:auth-settings analytics:auth-audit deliveries:auth-audit drivers:auth-audit settings:auth-audit upload:auth-audit deliveries:auth-replays ;;
    settings) echo deliveries:settings-replays deliveries:settings-endpoints deliveries:settings-resumed ;;
    drivers) echo deliveries:drivers-imports deliveries:drivers-deliveries auth:drivers-accounts settings:drivers-settings deliveries:drivers-replays ;;
    deliveries) echo drivers:deliveries-drivers settings:deliveries-settings analytics:deliveries-dead-letters auth:deliveries-dead-letters deliveries:deliveries-dead-letters drivers:deliveries-dead-letters settings:deliveries-dead-letters upload:deliveries-dead-letters deliveries:deliveries-replays analytics:deliveries-handled auth:deliveries-handled deliveries:deliveries-handled drivers:deliveries-handled settings:deliveries-handled upload:deliveries-handled ;;
    upload) echo settings:upload-settings deliveries:upload-replays ;;
    analytics) echo deliveries:analytics-imports deliveries:analytics-deliveries drivers:analytics-drivers deliveries:analytics-sources drivers:analytics-stops deliveries:analytics-replays ;;
  esac
}
# </followed>
# Only deliveries reads what other systems publish.
reads() { followed "$1"; [ "$1" != deliveries ] || echo intake:deliveries-intake; }

# A stream must exist before its consumer, so the service that starts first creates it.
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
    # A message that the client cannot parse is read in the form in which the server stores it.
    [ "$stream" != intake ] || printf '"$JS.API.STREAM.MSG.GET.WAYBILL_%s", ' "${stream^^}"
  done
}
# <watched> rendered by scripts/deployments.mjs
watched='"waybill.deliveries.delivery.imported.v1", "waybill.deliveries.delivery.changed.v1", "waybill.settings.setting.changed.v1", "waybill.settings.announcement.changed.v1"'
# </watched>
# Other systems, each with an account of its own on NATS that reaches only these subjects of ours. Users of one account could
# do more than their permissions say: NATS does not check the subject that a request names for its response.
others=
declare -A subjects=()
# Producers publish dead letters. Their names are the lines of the file `producers`.
for producer in $(cat producers 2>/dev/null || true); do
  others+=" producer-$producer"
  subjects[producer-$producer]="waybill.intake.$producer.deadletter.raised.v1"
done
# A reader has one consumer on each of its streams. It is named as the account, so it is never that of a service. NATS does not
# check where a consumer delivers, so a reader can still disturb services; a producer cannot, because it creates no consumer.
reading() {
  local stream
  printf '$JS.API.INFO'
  for stream in $2; do
    stream=WAYBILL_${stream^^}
    printf ' $JS.API.%s' "STREAM.INFO.$stream" "CONSUMER.CREATE.$stream.$1" "CONSUMER.CREATE.$stream.$1.>" \
      "CONSUMER.DURABLE.CREATE.$stream.$1" "CONSUMER.INFO.$stream.$1" "CONSUMER.MSG.NEXT.$stream.$1"
    printf ' $JS.ACK.%s.%s.>' "$stream" "$1"
  done
}
# Readers read events. A line of the file `readers` is a name and the services whose events it reads.
while read -r reader streams; do
  [ -n "$reader" ] || continue
  if ! [[ $reader =~ ^[a-z0-9_-]+$ ]] || [ -z "$streams" ] || [ -n "${subjects[reader-$reader]:-}" ]; then
    printf 'secrets.sh: readers: "%s %s" is not a new name (a-z, 0-9, - and _) followed by services.\n' "$reader" "$streams" >&2
    exit 1
  fi
  for stream in $streams; do
    [[ " $services " == *" $stream "* ]] && continue
    printf 'secrets.sh: readers: %s reads "%s", which is none of: %s.\n' "$reader" "$stream" "$services" >&2
    exit 1
  done
  # NATS refuses to start if an account imports a subject twice.
  streams=$(printf '%s\n' $streams | sort -u)
  others+=" reader-$reader"
  subjects[reader-$reader]=$(reading "reader-$reader" "$streams")
done < <(cat readers 2>/dev/null; echo)
# The inbox of an account. Responses come there and the events that it reads, so nobody else may listen. Programs of
# an earlier release use the shared inbox: docs/upgrades.md says when to allow it.
inbox() { if [ "${WAYBILL_SHARED_INBOX:-}" = yes ]; then echo '"_INBOX.>"'; else echo "\"_INBOX.$1.>\""; fi; }
users() {
  local service
  for service in $services; do
    printf '      { user: %s, password: "%s", permissions: {\n' "$service" "$(cat "${service}_nats_password")"
    printf '        publish: { allow: [%s] }\n        subscribe: { allow: [%s] } } }\n' "$(permissions "$service")" "$(inbox "$service")"
  done
  # The gateway only watches, to tell open screens what has changed.
  printf '      { user: gateway, password: "%s", permissions: {\n' "$(cat gateway_nats_password)"
  printf '        publish: { deny: [">"] }\n        subscribe: { allow: [%s, %s] } } }\n' "$(inbox gateway)" "$watched"
}
exports() {
  local subject
  for subject in $(printf '%s\n' ${subjects[*]} | sort -u); do
    # A pull is answered by many messages.
    case $subject in
      *.MSG.NEXT.*) printf '      { service: "%s", response: stream }\n' "$subject" ;;
      *) printf '      { service: "%s" }\n' "$subject" ;;
    esac
  done
}
accounts() {
  local other subject inbox
  for other in $others; do
    case $other in producer-*) inbox=_INBOX_${other#producer-} ;; *) inbox=_INBOX.$other ;; esac
    printf '  "%s": {\n    imports: [\n' "$other"
    for subject in ${subjects[$other]}; do
      printf '      { service: { account: WAYBILL, subject: "%s" } }\n' "$subject"
    done
    printf '    ]\n    users: [{ user: %s, password: "%s", permissions: {\n' "$other" "$(cat "${other}_nats_password")"
    printf '      publish: { allow: [%s] }\n' "$(printf '"%s", ' ${subjects[$other]})"
    printf '      subscribe: { allow: ["%s.>"] } } }]\n  }\n' "$inbox"
  done
}
for service in $services gateway; do
  secret "${service}_nats_password" "$(random)"
  secret "${service}_nats_url" "tls://$service:$(cat "${service}_nats_password")@nats:4222"
done
for other in $others; do
  secret "${other}_nats_password" "$(random)"
  secret "${other}_nats_url" "tls://$other:$(cat "${other}_nats_password")@nats:4222"
done
secret nats.conf "port: 4222
http_port: 8222
jetstream { store_dir: \"/data\", max_file_store: 4GB }
accounts {
  WAYBILL: {
    jetstream: enabled
    exports: [
$(exports)
    ]
    users: [
$(users)
    ]
  }
$(accounts)
}"

# The prefixes of objects that each service may read or write in the bucket. No service may list it or create another.
# `waybill backup` has an identity of its own, which reads and lists everything. For a restore it also writes, when s3.json
# is made with WAYBILL_RESTORE=yes: docs/backup.md.
# <objects> rendered by scripts/deployments.mjs
keepers="gateway settings deliveries upload"
objects() {
  case $1 in
    gateway) echo Read:logos/ Read:readiness/ ;;
    settings) echo Read:logos/ Write:logos/ Read:readiness/ ;;
    deliveries) echo Read:proof/ Write:proof/ Read:attachments/ Write:attachments/ Read:logos/ Read:readiness/ ;;
    upload) echo Read:imports/ Write:imports/ Read:readiness/ ;;
  esac
}
# </objects>
for service in $keepers backup; do
  secret "${service}_s3_access_key" "$service"
  secret "${service}_s3_secret_key" "$(random)"
done
identity() {
  local it actions=
  [ "$1" != backup ] || actions='"Read:waybill", "List:waybill"'
  [ "$1 ${WAYBILL_RESTORE:-}" != 'backup yes' ] || actions+=', "Write:waybill"'
  for it in $(objects "$1"); do actions+="${actions:+, }\"${it%%:*}:waybill/${it#*:}*\""; done
  printf '{"name": "%s", "credentials": [{"accessKey": "%s", "secretKey": "%s"}], "actions": [%s]}' \
    "$1" "$(cat "${1}_s3_access_key")" "$(cat "${1}_s3_secret_key")" "$actions"
}
identities() {
  local service all=
  for service in $keepers backup; do all+="${all:+,
  }$(identity "$service")"; done
  printf '{"identities": [\n  %s\n]}' "$all"
}
secret s3.json "$(identities)"

secret grafana_password "$(random)"
