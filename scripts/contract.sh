#!/usr/bin/env bash
# What the published client packages expect of the wire, held against the real product. The
# packages are those of contract/package-lock.json and nowhere else in the project.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install contract
# A whole test run has built the program already; another set of features would build it anew.
if [ -z "${WAYBILL_BIN:-}" ]; then
  cargo build --locked -p waybill
  WAYBILL_BIN=$(target_dir)/debug/waybill
fi
export WAYBILL_BIN
# It starts the product itself: some of it is about starting and stopping.
exec npm --prefix contract test --silent -- "$@"
