#!/usr/bin/env bash
# Restarts each target many times under load, as a kubelet does, and expects that no request fails.
#   scripts/restarts.sh [TIMES [RATE [TARGET...]]]    100 times at 200 requests a second, every target
# Uses a release build, unless WAYBILL_BIN names another program.
source "$(dirname "$0")/lib.sh"
need_node
npm_install k8s/test
built_program release
scripts/services.sh node k8s/test/restarts.mjs "${1:-100}" "${2:-200}" "${@:3}"
