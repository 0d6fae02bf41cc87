#!/usr/bin/env bash
# Runs a command with Postgres, NATS (JetStream) and Redis available:
#
#   scripts/services.sh cargo nextest run --workspace
#
# Uses the servers that WAYBILL_TEST_POSTGRES_URL, WAYBILL_TEST_NATS_URL and WAYBILL_TEST_REDIS_URL name.
# Other servers are started on a free port, from installed programs (or from packages, if they may be
# installed). At the end, only the servers that were started are stopped, by their process ids.
#
# If WAYBILL_SERVICES_DURABLE is set, Postgres waits for the disk as it does in production.
source "$(dirname "$0")/lib.sh"
[ $# -gt 0 ] || die "usage: scripts/services.sh COMMAND..."
need_node

work=
owner=
pids=()
postgres_data=

# Prints the process id of the server itself, because the process that started it may be a step in between.
postgres_pid() { head -n 1 "$postgres_data/postmaster.pid" 2>/dev/null; }

stop() {
  local status=$? pid
  set +eu
  trap - EXIT INT TERM HUP
  [ -n "$work" ] || exit "$status"
  # A "fast" shutdown does not wait for clients to leave.
  if [ -n "$postgres_data" ]; then
    pid=$(postgres_pid)
    [ -n "$pid" ] && kill -INT "$pid" 2>/dev/null
  fi
  for pid in "${pids[@]}"; do end "$pid"; done
  rm -rf "$work"
  exit "$status"
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# Ends a process that this script started, and waits until it is gone.
end() {
  kill -TERM "$1" 2>/dev/null
  wait_for 10 gone "$1" || kill -KILL "$1" 2>/dev/null
  wait "$1" 2>/dev/null
  return 0
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

make_work() {
  [ -n "$work" ] && return
  work=$(mktemp -d "$(roomy_memory || printf '%s' "${TMPDIR:-/tmp}")/waybill-services.XXXXXX")
  # Postgres runs as another user, who has to get through this folder.
  chmod 711 "$work"
}

# Prints a folder in memory with enough room for what tests write. They discard it, and on a disk SQLite would
# wait at each commit.
roomy_memory() {
  [ -z "${WAYBILL_SERVICES_DURABLE:-}" ] && [ -w /dev/shm ] || return 1
  local megabytes
  megabytes=$(df --output=avail -BM /dev/shm 2>/dev/null | tail -n 1 | tr -dc 0-9)
  [ "${megabytes:-0}" -ge 6000 ] && printf /dev/shm
}

# Postgres refuses to run as root, so root runs it as another user.
choose_owner() {
  [ "$(id -u)" = 0 ] || return 0
  if id postgres >/dev/null 2>&1; then owner=postgres; else owner=nobody; fi
}

# Runs a command as the owner, replacing the (sub)shell that calls this.
exec_as_owner() {
  cd /
  if [ -z "$owner" ]; then
    exec "$@"
  elif have setpriv; then
    # This is the only way that leaves no process in between.
    exec setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups -- "$@"
  elif have runuser; then
    exec runuser -u "$owner" -- "$@"
  else
    exec su -s /bin/sh "$owner" -c 'exec "$0" "$@"' -- "$@"
  fi
}

# Prints the newest folder with the programs of Postgres.
postgres_bin() {
  local folder
  if have initdb && have postgres; then
    dirname "$(readlink -f "$(command -v initdb)")"
    return
  fi
  for folder in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -rV); do
    if [ -x "$folder/initdb" ]; then
      printf '%s' "$folder"
      return
    fi
  done
  return 1
}

missing() {
  die "$1 is missing and cannot be installed from here. Install it (Debian, Ubuntu: apt-get install $2), or set $3 to the address of a running one."
}

# Starts a server on a free port, and tries another port if somebody else took it first: on_free_port NAME
# FUNCTION PROBE. Leaves the port in $port.
on_free_port() {
  local try
  for try in 1 2 3; do
    port=$(free_port)
    "$2"
    wait_for 30 "$3" && return 0
    end "${pids[${#pids[@]} - 1]}"
  done
  tail -n 20 "$work/$1.log" >&2 2>/dev/null || true
  die "$1 did not start; its last lines are above"
}

start_postgres() {
  local bin
  bin=$(postgres_bin) || { apt_install postgresql && bin=$(postgres_bin); } ||
    missing Postgres postgresql WAYBILL_TEST_POSTGRES_URL
  make_work
  choose_owner
  postgres_data=$work/postgres
  mkdir "$postgres_data"
  : >"$work/postgres.log"
  [ -z "$owner" ] || chown "$owner" "$postgres_data" "$work/postgres.log"
  # Use a collation other than byte order if there is one, so that code that relies on byte order must say so
  # itself.
  (exec_as_owner "$bin/initdb" -D "$postgres_data" -U postgres -A trust -E UTF8 --no-sync \
    --locale=C.UTF-8 --locale-provider=icu --icu-locale=en >"$work/initdb.log" 2>&1) ||
    {
      rm -rf "${postgres_data:?}"/*
      (exec_as_owner "$bin/initdb" -D "$postgres_data" -U postgres -A trust -E UTF8 --no-sync \
        --locale=C.UTF-8 >"$work/initdb.log" 2>&1)
    } || { cat "$work/initdb.log" >&2; die "Postgres could not be set up; see above"; }
  run_postgres() {
    # All data is discarded, so there is no reason to wait for the disk.
    local careless=(-c fsync=off -c full_page_writes=off -c synchronous_commit=off)
    [ -z "${WAYBILL_SERVICES_DURABLE:-}" ] || careless=()
    exec_as_owner "$bin/postgres" -D "$postgres_data" -p "$port" \
      -c listen_addresses=127.0.0.1 -c unix_socket_directories="$postgres_data" \
      ${careless[@]+"${careless[@]}"} -c max_connections=300 -c shared_buffers=256MB -c max_wal_size=2GB >>"$work/postgres.log" 2>&1 &
    pids+=($!)
  }
  # Postgres writes "ready" into its own file once it accepts connections.
  postgres_ready() {
    [ "$(sed -n 4p "$postgres_data/postmaster.pid")" = "$port" ] &&
      [[ $(sed -n 8p "$postgres_data/postmaster.pid") == ready* ]]
  }
  on_free_port postgres run_postgres postgres_ready
  export WAYBILL_TEST_POSTGRES_URL="postgres://postgres@127.0.0.1:$port/postgres"
  # Waybill refuses such a server unless it is told otherwise.
  [ -n "${WAYBILL_SERVICES_DURABLE:-}" ] || export WAYBILL__DATABASE__REQUIRE_DURABLE=false
}

start_nats() {
  local binary
  binary=$(program nats-server) || { apt_install nats-server && binary=$(program nats-server); } ||
    missing NATS nats-server WAYBILL_TEST_NATS_URL
  make_work
  run_nats() {
    "$binary" -a 127.0.0.1 -p "$port" -js -sd "$work/nats-$port" >>"$work/nats.log" 2>&1 &
    pids+=($!)
  }
  # NATS greets each connection with its abilities.
  nats_ready() {
    local line
    exec 3<>"/dev/tcp/127.0.0.1/$port" && read -r -t 2 line <&3 && exec 3>&- && [[ $line == *'"jetstream":true'* ]]
  }
  probe_nats() { (nats_ready) 2>/dev/null; }
  on_free_port nats run_nats probe_nats
  export WAYBILL_TEST_NATS_URL="nats://127.0.0.1:$port"
  # The NATS program, for a test that starts its own server.
  export WAYBILL_TEST_NATS_SERVER="$binary"
}

start_redis() {
  local binary
  binary=$(program redis-server || program valkey-server) ||
    { apt_install redis-server && binary=$(program redis-server); } ||
    missing Redis redis-server WAYBILL_TEST_REDIS_URL
  make_work
  run_redis() {
    "$binary" --bind 127.0.0.1 --port "$port" --save '' --appendonly no --dir "$work" >>"$work/redis.log" 2>&1 &
    pids+=($!)
  }
  redis_ready() {
    local line
    exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'PING\r\n' >&3 && read -r -t 2 line <&3 && exec 3>&- && [[ $line == +PONG* ]]
  }
  probe_redis() { (redis_ready) 2>/dev/null; }
  on_free_port redis run_redis probe_redis
  export WAYBILL_TEST_REDIS_URL="redis://127.0.0.1:$port"
}

# Fails if a given address does not answer: given VARIABLE DEFAULT_PORT
given() {
  local url=${!1} host port
  host=${url#*://}
  host=${host%%/*}
  host=${host##*@}
  port=${host##*:}
  [ "$port" = "$host" ] && port=$2
  answers "${host%%:*}" "$port" || die "$1 is set, but nobody answers at ${host%%:*}:$port"
  say "using the server that $1 names"
}

if [ -n "${WAYBILL_TEST_POSTGRES_URL:-}" ]; then given WAYBILL_TEST_POSTGRES_URL 5432; else start_postgres; fi
if [ -n "${WAYBILL_TEST_NATS_URL:-}" ]; then given WAYBILL_TEST_NATS_URL 4222; else start_nats; fi
if [ -n "${WAYBILL_TEST_REDIS_URL:-}" ]; then given WAYBILL_TEST_REDIS_URL 6379; else start_redis; fi

make_work
# Tests create their own folders here, too.
mkdir "$work/tests"
TMPDIR=$work/tests "$@"
