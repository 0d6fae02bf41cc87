#!/usr/bin/env bash
# Prints the path of a Chromium; installs one if that is allowed and none is there. Prefers the headless
# shell, which has the same engine but no toolbars: drawing those takes a quarter of the time of the tests.
source "$(dirname "$0")/lib.sh"

find_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" 2>/dev/null && return
  done
  return 1
}

[ -z "${CHROMIUM:-}" ] || [ -x "$CHROMIUM" ] || die "CHROMIUM is set to $CHROMIUM, which is no program"
find_chromium || { { apt_install chromium-headless-shell || apt_install chromium; } && find_chromium; } ||
  die "Chromium is missing and cannot be installed from here. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path."
