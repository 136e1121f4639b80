#!/bin/sh
# Installs the Debian packages that some tests and the sandbox of commands need. Tests that need one skip without it and
# print the reason; `npm test` never installs anything of the system.
set -eu

# Each program that is looked for, with the package that brings it.
wanted='bwrap:bubblewrap chromium:chromium fish:fish git:git man:man-db nsenter:util-linux pgbouncer:pgbouncer tmux:tmux zsh:zsh'

missing=''
for pair in $wanted; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if [ -z "$missing" ]; then
  echo 'setup:system: everything is installed'
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup:system: this is no Debian system: install these by hand:$missing" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then as_root=''; else as_root='sudo -n'; fi
echo "setup:system: installing$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086 # Several words are meant.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
