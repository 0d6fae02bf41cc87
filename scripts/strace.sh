#!/usr/bin/env bash
# Finds strace, with which tests see what is synced to disk and make that fail, and installs it if that is
# allowed. Exits with 1 if it is missing or may not trace.
source "$(dirname "$0")/lib.sh"

can_trace() { have strace && strace -f -qq -o /dev/null true 2>/dev/null; }

if [ "$(uname -s)" != Linux ] || ! { can_trace || { apt_install strace && can_trace; }; }; then
  say "strace is missing or may not trace; nothing tests what is synced to disk (Debian: apt-get install strace)"
  exit 1
fi
