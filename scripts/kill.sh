#!/usr/bin/env bash
# The kill runs at full length. A push runs the same tests with few kills.
source "$(dirname "$0")/lib.sh"
need_rust
cargo build --locked -p waybill
export WAYBILL_KILLS=${WAYBILL_KILLS:-2000}
say "$WAYBILL_KILLS kills"
# `cargo test`, which knows no time limit: this takes hours.
exec scripts/services.sh cargo test --locked -p waybill --test world -- kill --include-ignored --test-threads=1 "$@"
