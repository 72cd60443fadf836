#!/bin/sh
# run.sh [--smoke] [--page] [--note TEXT] [--from FOLDER] [BENCH...]: measures clusterd beside PM2, node:cluster,
# supervisord, runit, s6 and a bare fork/exec loop, in one run.
#
# Installs the rivals: from Debian, and PM2 by npm into build/bench. One that cannot be installed is left out. --smoke
# needs none of them, takes under three minutes and fails only for numbers that are missing and counts that are exact.
# CLUSTERD_BIN: folder of clusterd (build/release/bin). Results: build/bench/results. See docs/hacking.md, "Bench".
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${CLUSTERD_BIN:-$root/build/release/bin}
work=$root/build/bench
pm2=$work/npm/node_modules/.bin/pm2

wants_rivals=yes
for word in "$@"; do
  case "$word" in --smoke | --from | --help | -h) wants_rivals=no ;; esac
done

mkdir -p "$work/programs" "$work/npm"
for source in "$root"/tests/bench/programs/*.c; do
  program=$work/programs/$(basename "$source" .c)
  header=$root/tests/bench/programs/report.h
  if [ ! -x "$program" ] || [ -n "$(find "$source" "$header" -newer "$program")" ]; then
    cc -std=gnu17 -D_GNU_SOURCE -O2 -static -Wall -Wextra -Werror "$source" -o "$program"
  fi
done

if [ "$wants_rivals" = yes ]; then
  "$root/packaging/install-packages.sh" "$root/packaging/apt-packages-bench.txt" ||
    echo "Not all rivals could be installed; the tables will say which are missing." >&2
  if [ ! -x "$pm2" ]; then
    npm install --prefix "$work/npm" --no-audit --no-fund --loglevel=error pm2 >&2 || echo "No PM2." >&2
  fi
fi

exec /usr/bin/python3 -B "$root/tests/bench/main.py" \
  --bin "$bin" --programs "$work/programs" --pm2 "$pm2" --results "$work/results" "$@"
