#!/usr/bin/env bash
# Puts twenty faults into the sources, one at a time, and expects the tests to find each. Words choose
# some by name. The sources are put back after each; do not edit meanwhile.
source "$(dirname "$0")/lib.sh"
need_rust
need_node
# The compilation of the test command, so that little is compiled anew.
lint_while_compiling
cargo test --locked --workspace --no-run --quiet
WAYBILL_BIN=$(target_dir)/debug/waybill
export WAYBILL_BIN
exec node scripts/faults.mjs "$@"
