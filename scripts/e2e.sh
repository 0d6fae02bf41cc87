#!/usr/bin/env bash
# The journeys of a person, in a headless Chromium against the real product.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
npm_install e2e
CHROMIUM=$(scripts/chromium.sh)
# A whole test run has built the program already; another set of features would build it anew.
if [ -z "${WAYBILL_BIN:-}" ]; then
  cargo build --locked -p waybill
  WAYBILL_BIN=$(target_dir)/debug/waybill
fi
export CHROMIUM WAYBILL_BIN
# It starts the product itself.
exec npm --prefix e2e test --silent -- "$@"
