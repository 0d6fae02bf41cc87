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
# One file has a NATS of its own.
if [ -z "${WAYBILL_TEST_NATS_SERVER:-}" ]; then
  WAYBILL_TEST_NATS_SERVER=$(program nats-server) || { apt_install nats-server && WAYBILL_TEST_NATS_SERVER=$(program nats-server); } ||
    die "NATS is missing. Install nats-server, or name the program in WAYBILL_TEST_NATS_SERVER."
fi
export WAYBILL_TEST_NATS_SERVER
have python3 || apt_install python3 || die "Python is missing. Install Python 3.9 or newer, then try again."
# It starts the product itself: some of it is about starting and stopping.
exec npm --prefix contract test --silent -- "$@"
