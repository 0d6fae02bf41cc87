#!/usr/bin/env bash
# Serves the product with the browser application directly from its sources, so that a change shows at once.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install frontend
cargo build --locked -p waybill
"$(target_dir)/debug/waybill" "$@" &
server=$!
trap 'kill -TERM "$server" 2>/dev/null; wait "$server" 2>/dev/null' EXIT
say "open the address that vite prints; calls go to http://127.0.0.1:8080"
cd frontend
npm run --silent dev
