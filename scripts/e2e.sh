#!/usr/bin/env bash
# Runs the end-to-end tests in a headless Chromium against the real product.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
npm_install e2e
CHROMIUM=$(scripts/chromium.sh)
# A whole test run has already built the program. Building it with other features would compile it again.
if [ -z "${WAYBILL_BIN:-}" ]; then
  cargo build --locked -p waybill
  WAYBILL_BIN=$(target_dir)/debug/waybill
fi
export CHROMIUM WAYBILL_BIN
# The tests start the product themselves.
exec npm --prefix e2e test --silent -- "$@"
