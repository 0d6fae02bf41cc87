#!/usr/bin/env bash
# Runs lint, type check, unit tests, build and size budget of the browser application.
source "$(dirname "$0")/lib.sh"
scripts/lint.sh frontend
npm --prefix frontend test --silent
scripts/build-frontend.sh
npm --prefix frontend run --silent budget
