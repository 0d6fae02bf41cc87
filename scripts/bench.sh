#!/usr/bin/env bash
# Measures what docs/benchmarks.md reports, with a release build and servers of its own.
# BENCH_DELIVERIES, BENCH_IMPORT, BENCH_SECONDS, BENCH_ROUNDS, BENCH_PARTS change what is done.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
cargo build --locked --release -p waybill --bin waybill --example bench

# psql and pgbench lie beside the server's programs on some systems.
for folder in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | sort -rV); do
  PATH=$PATH:$folder
done
WAYBILL_BIN=$(target_dir)/release/waybill
export PATH WAYBILL_BIN WAYBILL_SERVICES_DURABLE=yes
exec scripts/services.sh "$(target_dir)/release/examples/bench" "$@"
