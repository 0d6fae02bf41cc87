#!/usr/bin/env bash
# Puts twenty faults into the sources, one at a time, and expects the tests to find each. Arguments choose
# faults by words of their names. Each source is restored afterwards; do not edit meanwhile.
source "$(dirname "$0")/lib.sh"
need_rust
need_node
# Compile as the test command does, so that little is compiled again.
lint_while_compiling
cargo test --locked --workspace --no-run --quiet
WAYBILL_BIN=$(target_dir)/debug/waybill
export WAYBILL_BIN
exec node scripts/faults.mjs "$@"
