#!/usr/bin/env bash
# The kill runs at full length. Every test run has a share of them.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_KILLS=${WAYBILL_KILLS:-2000} WAYBILL_KILL_LINES=${WAYBILL_KILL_LINES:-30000}
export WAYBILL_POSITION_KILLS=${WAYBILL_POSITION_KILLS:-500}
say "$WAYBILL_KILLS kills in imports of $WAYBILL_KILL_LINES lines, $WAYBILL_POSITION_KILLS among positions; WAYBILL_KILL_SEED repeats a run"
# `cargo test`, which knows no time limit: this takes hours.
exec cargo test --locked -p waybill --test kill -- --nocapture "$@"
