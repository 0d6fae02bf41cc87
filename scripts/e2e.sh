#!/usr/bin/env bash
# The journeys of a person, in a headless Chromium against the real product.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
npm_install e2e
CHROMIUM=$(scripts/chromium.sh)
WAYBILL_BIN=$(target_dir)/debug/waybill
export CHROMIUM WAYBILL_BIN
cargo build --locked -p waybill
# It starts the product itself.
exec npm --prefix e2e test --silent -- "$@"
