#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds what tests/CMakeLists.txt names for a sanitizer, with the preset that has it, and runs these tests.
#
#   scripts/sanitize.sh address|thread [option of ctest...]
#
# tests/lsan.supp and tests/tsan.supp name what is kept or done by libraries that are not ours.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=${1:?"usage: scripts/sanitize.sh address|thread [option of ctest...]"}
shift
case $sanitizer in
  address) preset=asan ;;
  thread) preset=tsan ;;
  *) echo "sanitize: no such sanitizer: $sanitizer" >&2; exit 2 ;;
esac

scripts/build.sh "$preset" tests --target "${sanitizer}_tests"
results=build-$preset/test-results.xml
rm -f "$results"
status=0
ctest --preset "$preset" -L "^$sanitizer\$" --parallel 2 --output-junit "$PWD/$results" \
  --test-output-size-passed 100000000 --no-tests=error "$@" || status=$?
if [[ -e $results ]]; then
  tests/skips.py "$results" tests/expected_skips.txt || status=1
fi
exit $status
