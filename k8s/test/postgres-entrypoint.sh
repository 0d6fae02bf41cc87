#!/usr/bin/env bash
# Does what the entry point of the image "postgres" does with an empty data folder. composition.mjs runs this.
set -euo pipefail
as_owner() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid="$(id -g postgres)" --init-groups -- "$@"; else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown postgres "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # several arguments in one variable, as with the image
  as_owner initdb -D "$PGDATA" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS >/dev/null
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  as_owner pg_ctl -D "$PGDATA" -w -s -l "$PGDATA/setup.log" -o "-c listen_addresses='' -c unix_socket_directories=$PGHOST -p $PGPORT ${*:2}" start
  as_owner psql --quiet --no-psqlrc --username "$POSTGRES_USER" --dbname postgres --command "CREATE DATABASE $POSTGRES_USER"
  for script in "$INITDB"/*.sh; do as_owner "$script"; done
  as_owner pg_ctl -D "$PGDATA" -w -s -m fast stop
fi
if [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid=postgres --regid="$(id -g postgres)" --init-groups -- "$@" -c unix_socket_directories="$PGHOST" -c listen_addresses=127.0.0.1 -p "$PGPORT"
fi
exec "$@" -c unix_socket_directories="$PGHOST" -c listen_addresses=127.0.0.1 -p "$PGPORT"
