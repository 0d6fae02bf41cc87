#!/usr/bin/env bash
# Builds everything and serves it in one process; flags go to `waybill`.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
cargo build --locked -p waybill
exec "$(target_dir)/debug/waybill" "$@"
