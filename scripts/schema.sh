#!/usr/bin/env bash
# Writes generated files: the GraphQL schema and its types, the reference pages, and the files of deployments.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install frontend
WAYBILL_WRITE_SCHEMA=1 cargo test --locked --quiet -p gateway --test gateway the_exported_schema
npm --prefix frontend run --silent schema
node scripts/docs-config.mjs
node scripts/docs-errors.mjs
node scripts/deployments.mjs
