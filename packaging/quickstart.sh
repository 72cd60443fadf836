#!/bin/sh
# quickstart.sh [PREFIX]: from a fresh Debian 12 to a running sample app.
#
# Installs what building needs, builds a release, installs it below PREFIX (default: $PREFIX, then /usr/local),
# starts an HTTP server once per CPU behind one port, and shows that different processes answer. The app keeps
# running in your own clusterd ($CLUSTERD_HOME, then ~/.clusterd); the last lines say how to end it.
# QUICKSTART_PORT chooses the port (3000).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-${PREFIX:-/usr/local}}
case "$prefix" in /*) ;; *) prefix="$PWD/$prefix" ;; esac
port=${QUICKSTART_PORT:-3000}

"$root/packaging/install-packages.sh" "$root/packaging/apt-packages-build.txt"

cd "$root"
cmake --preset release -DCLUSTERD_TESTS=OFF
cmake --build --preset release

mkdir -p "$prefix" 2>/dev/null || true
as_root=""
[ -w "$prefix" ] || as_root="sudo"
$as_root cmake --install build/release --prefix "$prefix" >/dev/null
echo "Installed clusterd below $prefix"

# The server the examples ship in two languages; any executable would do.
hello="$root/docs/examples/hello"
if command -v node >/dev/null; then program="$hello/server.js"; else program="$hello/server.py"; fi

clusterd="$prefix/bin/clusterd"
PORT=$port "$clusterd" start "$program" --name hello -i max
"$clusterd" list

echo
echo "Answers from http://127.0.0.1:$port/ :"
"$hello/ask.sh" "$port"
cat <<END

The app runs on. Try:
  $clusterd reload hello      # new processes, no lost request
  $clusterd logs hello
  $clusterd delete hello      # stop and forget it
  $clusterd kill              # stop everything, and clusterd itself
END
