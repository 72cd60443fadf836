#!/bin/sh
# run.sh [PYTEST ARGUMENT...]: installs what the tests need, builds a release and runs every test there is.
#
# First unit, search, system and tidy suites (ctest), then the end-to-end suite and the comparison with PM2 (pytest), then
# the bench in its smoke mode, alone; all of them always run, the last line has the counts, and the exit status is 0
# only if everything passed and something ran.
# CLUSTERD_TEST_JOBS: end-to-end tests at a time (4). Reports: build/release/{ctest,pytest,conformance,bench}.xml
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
"$root/packaging/install-packages.sh" "$root/packaging/apt-packages-build.txt" "$root/packaging/apt-packages-test.txt"

cd "$root"
cmake --preset release -DCLUSTERD_TESTS=ON
cmake --build --preset release

build="$root/build/release"
rm -f "$build/ctest.xml" "$build/pytest.xml" "$build/conformance.xml" "$build/bench.xml"

ctest_status=0
ctest --preset release --output-junit "$build/ctest.xml" || ctest_status=$?

# Debian's Python has the packages; a python3 of a version manager earlier on PATH has not.
pytest_status=0
CLUSTERD_BIN="$build/bin" /usr/bin/python3 -B -m pytest "$root/tests/e2e" -c "$root/tests/e2e/pytest.ini" -q \
  -n "${CLUSTERD_TEST_JOBS:-4}" --junit-xml "$build/pytest.xml" "$@" || pytest_status=$?

# The suite installs PM2 below build/ by itself, from the lock file beside it.
conformance_status=0
CLUSTERD_BIN="$build/bin" /usr/bin/python3 -B -m pytest "$root/tests/conformance" -c "$root/tests/conformance/pytest.ini" \
  -q -n 2 --junit-xml "$build/conformance.xml" || conformance_status=$?

bench_status=0
CLUSTERD_BIN="$build/bin" "$root/tests/bench/run.sh" --smoke --junit "$build/bench.xml" || bench_status=$?

/usr/bin/python3 -B "$root/tests/count.py" "$build/ctest.xml" "$build/pytest.xml" "$build/conformance.xml" \
  "$build/bench.xml" || exit 1
[ "$ctest_status" -eq 0 ] && [ "$pytest_status" -eq 0 ] && [ "$conformance_status" -eq 0 ] && [ "$bench_status" -eq 0 ]
