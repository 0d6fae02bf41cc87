#!/usr/bin/env bash
# Checks that the real product behaves as the published client packages expect. Only
# contract/package-lock.json contains those packages.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install contract
# A whole test run has already built the program. Building it with other features would compile it again.
if [ -z "${WAYBILL_BIN:-}" ]; then
  cargo build --locked -p waybill
  WAYBILL_BIN=$(target_dir)/debug/waybill
fi
export WAYBILL_BIN
# One test file starts its own NATS server.
if [ -z "${WAYBILL_TEST_NATS_SERVER:-}" ]; then
  WAYBILL_TEST_NATS_SERVER=$(program nats-server) || { apt_install nats-server && WAYBILL_TEST_NATS_SERVER=$(program nats-server); } ||
    die "NATS is missing. Install nats-server, or name the program in WAYBILL_TEST_NATS_SERVER."
fi
export WAYBILL_TEST_NATS_SERVER
have python3 || apt_install python3 || die "Python is missing. Install Python 3.9 or newer, then try again."
# The tests start the product themselves, because some of them are about starting and stopping.
exec npm --prefix contract test --silent -- "$@"
