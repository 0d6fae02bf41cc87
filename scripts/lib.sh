# Functions shared by the scripts in this folder. Source this file.

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

say() { printf '%s\n' "$*" >&2; }

die() {
  printf '\nwaybill: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Prints the path of a program, even if only root has its folder on the path.
program() {
  local folder
  command -v "$1" 2>/dev/null && return
  for folder in /usr/sbin /usr/local/sbin /usr/local/bin /opt/homebrew/bin; do
    if [ -x "$folder/$1" ]; then
      printf '%s\n' "$folder/$1"
      return
    fi
  done
  return 1
}

need_rust() {
  have cargo || die "Rust is missing. Install Rust 1.94 or newer (https://rustup.rs), then try again."
}

need_node() {
  have node && have npm || die "Node is missing. Install Node 20.19 or newer (https://nodejs.org), then try again."
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);
  ' || die "Node $(node --version) is too old. Install Node 20.19 or newer, then try again."
}

# Prints a free port of the loopback address.
free_port() {
  node -e '
    const server = require("node:net").createServer();
    server.listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); });
  '
}

# Succeeds if a server accepts connections: answers HOST PORT
answers() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# Waits until a command succeeds: wait_for SECONDS COMMAND...
wait_for() {
  local tries=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}

# Runs a command as root without asking for a password. Fails where that is not possible.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

# Installs Debian packages if that is allowed: apt_install PACKAGE...
apt_install() {
  have apt-get && as_root true || return 1
  if [ -z "${APT_UPDATED:-}" ]; then
    say "reading the list of packages"
    as_root apt-get -qq update >&2 || return 1
    APT_UPDATED=yes
  fi
  say "installing $*"
  # RUNLEVEL=1 keeps a newly installed package from starting its own server.
  as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends "$@" >&2
}

# Installs the exact packages of a lock file, unless they are installed already: npm_install FOLDER
npm_install() {
  need_node
  [ -f "$1/package-lock.json" ] || die "$1/package-lock.json is missing"
  if [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ]; then return 0; fi
  (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund)
}

# Prints the folder in which cargo builds.
target_dir() { printf '%s' "${CARGO_TARGET_DIR:-$ROOT/target}"; }

# Sets WAYBILL_BIN, unless it is set, to a new build with the browser application: built_program debug|release
built_program() {
  local profile=$1
  [ "$profile" != debug ] || profile=dev
  if [ -z "${WAYBILL_BIN:-}" ]; then
    need_rust
    scripts/build-frontend.sh
    cargo build --locked --profile "$profile" -p waybill --bin waybill
    WAYBILL_BIN=$(target_dir)/$1/waybill
  fi
  export WAYBILL_BIN
}

# Makes cargo compile our crates with clippy, which is the compiler with more lints, from here on. So one
# compilation gives both the test programs and the findings, each of which is an error. Otherwise clippy would
# compile every crate and dependency a second time. Without clippy nothing changes, and scripts/lint.sh says
# so.
lint_while_compiling() {
  local driver
  driver=$(rustc --print sysroot)/bin/clippy-driver
  [ -x "$driver" ] || return 0
  export RUSTC_WORKSPACE_WRAPPER=$driver
  # `cargo clippy -- -D warnings` passes the option on in this form.
  export CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
}
