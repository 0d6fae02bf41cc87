#!/usr/bin/env bash
# Creates a database and a role for each service that has tables. A role owns its own database and cannot
# reach any other: an attacker who takes over a service gets only that service's tables.
#
# Postgres runs this once, on an empty data folder. To run it elsewhere, set WAYBILL_ADMIN_URL to the server,
# WAYBILL_SECRETS to the folder of the passwords, and WAYBILL_PREFIX to a prefix for each name.
set -euo pipefail
export PGOPTIONS="-c client_min_messages=warning"
secrets=${WAYBILL_SECRETS:-/run/secrets}
admin=${WAYBILL_ADMIN_URL:-"dbname=postgres user=${POSTGRES_USER:-postgres}"}

# <services> rendered by scripts/deployments.mjs
services="auth settings drivers deliveries upload analytics"
# </services>
for service in $services; do
  psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --dbname "$admin" \
    --set name="${WAYBILL_PREFIX:-}$service" --set file="$secrets/${service}_database_password" <<'SQL'
\set password `cat :'file'`
CREATE ROLE :"name" LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
done
