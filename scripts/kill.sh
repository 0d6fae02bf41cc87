#!/usr/bin/env bash
# The kill runs at full length. Every test run has a share of them.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_KILLS=${WAYBILL_KILLS:-2000} WAYBILL_KILL_LINES=${WAYBILL_KILL_LINES:-30000}
export WAYBILL_UNDO_KILLS=${WAYBILL_UNDO_KILLS:-500} WAYBILL_UNDO_DELIVERIES=${WAYBILL_UNDO_DELIVERIES:-20000}
export WAYBILL_POSITION_KILLS=${WAYBILL_POSITION_KILLS:-500}
export WAYBILL_AWAY_SECONDS=${WAYBILL_AWAY_SECONDS:-120}
export WAYBILL_KILL_POINTS=${WAYBILL_KILL_POINTS:-1000} WAYBILL_KILL_DAYS=${WAYBILL_KILL_DAYS:-2000}
export WAYBILL_LETTERS=${WAYBILL_LETTERS:-100000} WAYBILL_LETTER_KILLS=${WAYBILL_LETTER_KILLS:-500}
export WAYBILL_LETTER_WIPES=${WAYBILL_LETTER_WIPES:-20} WAYBILL_WIPE_LETTERS=${WAYBILL_WIPE_LETTERS:-1000}
export WAYBILL_RESENDS=${WAYBILL_RESENDS:-10000} WAYBILL_RESEND_KILLS=${WAYBILL_RESEND_KILLS:-100}
say "$WAYBILL_KILLS kills in imports of $WAYBILL_KILL_LINES lines, $WAYBILL_UNDO_KILLS in undos of $WAYBILL_UNDO_DELIVERIES"
say "deliveries, $WAYBILL_POSITION_KILLS among positions,"
say "$WAYBILL_LETTER_KILLS among $WAYBILL_LETTERS dead letters by each way, $WAYBILL_LETTER_WIPES lost stores of a broker,"
say "$WAYBILL_RESEND_KILLS while $WAYBILL_RESENDS are resent,"
say "every named point once and $WAYBILL_KILL_DAYS random moments of days, in one process and as separate services"
say "WAYBILL_KILL_SEED repeats a run; a name of a test runs it alone"
# `cargo test`, which knows no time limit: this takes hours.
exec scripts/services.sh cargo test --locked -p waybill --test kill -- --nocapture --test-threads=1 "$@"
