#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds what tests/CMakeLists.txt names for a sanitizer, with the preset that has it, and runs these tests.
#
#   scripts/sanitize.sh [--quick] address|thread [option of ctest...]
#
# --quick leaves out what runs mesh shaders and generated commands on a Vulkan device, and with `thread` all that takes long.
# tests/lsan.supp and tests/tsan.supp name what is kept or done by libraries that are not ours.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=
if [[ ${1:-} == --quick ]]; then
  quick=_quick
  shift
fi
sanitizer=${1:?"usage: scripts/sanitize.sh [--quick] address|thread [option of ctest...]"}
shift
case $sanitizer in
  address) preset=asan ;;
  thread) preset=tsan ;;
  *) echo "sanitize: no such sanitizer: $sanitizer" >&2; exit 2 ;;
esac

scripts/build.sh "$preset" tests --target "${sanitizer}_tests$quick"
results=build-$preset/test-results.xml
rm -f "$results"
status=0
tests/times.py "$results" ctest --preset "$preset" -L "^$sanitizer\$" ${quick:+-LE "^${sanitizer}_long\$"} --parallel 2 \
  --output-junit "$PWD/$results" --test-output-size-passed 100000000 --no-tests=error "$@" || status=$?
if [[ -e $results ]]; then
  tests/skips.py "$results" tests/expected_skips.txt || status=1
  tests/failures.py "$results"
fi
exit $status
