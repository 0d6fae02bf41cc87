#!/usr/bin/env bash
# Runs the kill tests at full length. Every test run does a share of them.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_KILLS=${WAYBILL_KILLS:-2000} WAYBILL_KILL_LINES=${WAYBILL_KILL_LINES:-30000}
export WAYBILL_UNDO_KILLS=${WAYBILL_UNDO_KILLS:-500} WAYBILL_UNDO_DELIVERIES=${WAYBILL_UNDO_DELIVERIES:-20000}
export WAYBILL_POSITION_KILLS=${WAYBILL_POSITION_KILLS:-500}
export WAYBILL_AWAY_SECONDS=${WAYBILL_AWAY_SECONDS:-120}
export WAYBILL_KILL_POINTS=${WAYBILL_KILL_POINTS:-1000} WAYBILL_KILL_DAYS=${WAYBILL_KILL_DAYS:-2000}
export WAYBILL_MIGRATION_KILLS=${WAYBILL_MIGRATION_KILLS:-10000}
export WAYBILL_NETWORK_FAULTS=${WAYBILL_NETWORK_FAULTS:-300}
export WAYBILL_ANALYTICS_KILLS=${WAYBILL_ANALYTICS_KILLS:-50} WAYBILL_ANALYTICS_WIPES=${WAYBILL_ANALYTICS_WIPES:-50}
export WAYBILL_ANALYTICS_EVENTS=${WAYBILL_ANALYTICS_EVENTS:-5000}
export WAYBILL_LETTERS=${WAYBILL_LETTERS:-100000} WAYBILL_LETTER_KILLS=${WAYBILL_LETTER_KILLS:-500}
export WAYBILL_LETTER_WIPES=${WAYBILL_LETTER_WIPES:-20} WAYBILL_WIPE_LETTERS=${WAYBILL_WIPE_LETTERS:-1000}
export WAYBILL_RESENDS=${WAYBILL_RESENDS:-10000} WAYBILL_RESEND_KILLS=${WAYBILL_RESEND_KILLS:-100}
say "$WAYBILL_KILLS kills in imports of $WAYBILL_KILL_LINES lines, $WAYBILL_UNDO_KILLS in undos of $WAYBILL_UNDO_DELIVERIES"
say "deliveries, $WAYBILL_POSITION_KILLS among positions,"
say "$WAYBILL_LETTER_KILLS among $WAYBILL_LETTERS dead letters by each way, $WAYBILL_LETTER_WIPES lost stores of a broker meanwhile,"
say "$WAYBILL_RESEND_KILLS while $WAYBILL_RESENDS are resent,"
say "$WAYBILL_ANALYTICS_KILLS among $WAYBILL_ANALYTICS_EVENTS events of analytics, $WAYBILL_ANALYTICS_WIPES lost stores of a broker meanwhile,"
say "one at each statement of each migration on Postgres,"
say "one at each named point and $WAYBILL_KILL_DAYS at random moments of days, in one process and as separate services,"
say "$WAYBILL_NETWORK_FAULTS faults of the network between separate services"
say "WAYBILL_KILL_SEED repeats a run; a name of a test runs it alone"
# `cargo test` has no time limit, and these tests take hours.
exec scripts/services.sh cargo test --locked --workspace --test kill -- --nocapture --test-threads=1 "$@"
