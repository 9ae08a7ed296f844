#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs all tests.
#
#   ./test.sh [option of ctest...]     for example -R spirv, or -L vulkan
#
# A test that is skipped fails the run unless tests/expected_skips.txt has it.
set -euo pipefail
cd "$(dirname "$0")"

scripts/build.sh dev tests
results=build-dev/test-results.xml
rm -f "$results"
status=0
# The whole output, in which programs say what they skipped.
ctest --preset dev --parallel 2 --output-junit "$PWD/$results" --test-output-size-passed 100000000 "$@" || status=$?
if [[ -e $results ]]; then
  complete=()
  if (($# == 0)); then
    complete=(--complete)
  fi
  tests/skips.py "$results" tests/expected_skips.txt "${complete[@]}" || status=1
fi
exit $status
