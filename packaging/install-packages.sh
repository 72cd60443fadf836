#!/bin/sh
# install-packages.sh LIST...: makes sure that the Debian packages named in the lists are installed.
#
# Called by quickstart.sh and tests/run.sh. Installs what is missing when it may (root, or sudo without a question),
# otherwise says what is missing and fails. No service is started by an installation made here.
set -eu

missing=""
for list in "$@"; do
  # shellcheck disable=SC2013  # names have no blanks
  for package in $(grep -v '^#' "$list"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok' || missing="$missing $package"
  done
  case "$list" in
    *test* | *bench*)
      command -v node >/dev/null || missing="$missing nodejs"
      command -v npm >/dev/null || missing="$missing npm"
      ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then
    echo "These packages are missing; install them as root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi

# invoke-rc.d asks policy-rc.d whether a service may start: 101 is no. An existing policy is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
  $as_root chmod 755 "$policy"
  trap '$as_root rm -f "$policy"' EXIT
fi
echo "Installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
