#!/usr/bin/env bash
# What the published client packages expect of the wire, held against the real product. The
# packages are those of contract/package-lock.json and nowhere else in the project.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install contract
cargo build --locked -p waybill
WAYBILL_BIN=$(target_dir)/debug/waybill
export WAYBILL_BIN
# It starts the product itself: some of it is about starting and stopping.
exec npm --prefix contract test --silent -- "$@"
