# What the scripts share: messages, and tools that are installed when missing. Sourced, never run.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# Queries are checked against .sqlx, so no build ever needs a database.
export SQLX_OFFLINE=true

# Whether we may install packages: apt, as root or with a sudo that asks nothing.
may_install() {
  has apt-get || return 1
  [ "$(id -u)" = 0 ] || { has sudo && sudo -n true 2>/dev/null; }
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# install PACKAGE…, or say what to do. Runs in a subshell to keep its environment to itself.
install() (
  may_install || die "Missing: $*. Install it with \`sudo apt-get install $*\`, or what your system calls it."
  say "Installing $* …"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get -q update >/dev/null || say "apt-get update failed; trying with what is known."
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >/dev/null ||
    die "apt-get could not install $*. Install it by hand and try again."
)

need_rust() {
  has cargo || die "Missing: cargo. Install Rust 1.95 or newer from https://rustup.rs, then open a new shell."
  has cc || install gcc libc6-dev
}

# The same places as the server looks in; it says more when the version is too old.
has_postgres() {
  [ -n "${WATCHCLOCK_PG_BIN_DIR:-}" ] && return 0
  has initdb && has postgres && return 0
  local program
  for program in /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /usr/lib/postgresql*/bin/initdb \
    /usr/libexec/postgresql*/initdb /opt/homebrew/opt/postgresql*/bin/initdb \
    /usr/local/opt/postgresql*/bin/initdb /usr/local/pgsql/bin/initdb \
    /Applications/Postgres.app/Contents/Versions/*/bin/initdb; do
    [ -x "$program" ] && return 0
  done
  return 1
}

need_postgres() {
  has_postgres && return 0
  # Debian's package would also start a server of its own; Watchclock runs a private one.
  local drop_in=/etc/postgresql-common/createcluster.d/watchclock.conf
  if may_install && [ ! -e "$drop_in" ]; then
    as_root mkdir -p "${drop_in%/*}"
    echo 'create_main_cluster = false' | as_root tee "$drop_in" >/dev/null
  fi
  install postgresql
}

need_psql() { has psql || install postgresql-client; }

# The tests drive a real browser.
need_browser() {
  has chromium || has chromium-browser || has google-chrome || install chromium
  has chromedriver || install chromium-driver
}
