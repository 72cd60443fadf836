#!/bin/sh
# ask.sh [PORT]: asks the hello app a hundred times and counts the answers of each process.
set -eu
port=${1:-3000}
answer() {
  if command -v curl >/dev/null; then
    curl -s --max-time 5 "http://127.0.0.1:$port/"
  else
    python3 -c "import urllib.request as r; print(r.urlopen('http://127.0.0.1:$port/').read().decode(), end='')"
  fi
}
# Several at a time, or the one process that happens to be awake would answer them all.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do answer & done
  wait
done | sort | uniq -c
