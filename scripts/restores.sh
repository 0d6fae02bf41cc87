#!/usr/bin/env bash
# Makes and restores TIMES backups of each kind of installation, most of them under load, and compares the results.
source "$(dirname "$0")/lib.sh"
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || die "usage: scripts/restores.sh TIMES"
need_rust
export WAYBILL_RESTORES=$1
cargo build --locked -p waybill --bin waybill
# A copy, because the run takes long and another build may replace the program meanwhile.
copy=$(mktemp -d "${TMPDIR:-/tmp}/waybill-restores.XXXXXX")
trap 'rm -rf "$copy"' EXIT
cp "$(target_dir)/debug/waybill" "$copy/waybill"
WAYBILL_BIN=$copy/waybill scripts/services.sh cargo nextest run --locked --profile long --workspace -E 'test(/^backup::.*_restores_row/)'
