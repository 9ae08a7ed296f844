#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs all tests.
#
#   ./test.sh [option of ctest...]     for example -R spirv, or -L vulkan
#
# A test that is skipped fails the run unless tests/expected_skips.txt has it. Each commit has random graphs of its own; a
# graph that fails is reproduced by its seed.
set -euo pipefail
cd "$(dirname "$0")"

scripts/build.sh dev tests
# Wide enough apart that commits share no seed. Without git they are those from 0 on.
commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)
MILLRACE_TEST_SEEDS=${MILLRACE_TEST_SEEDS:-$((16#${commit:0:7} * 10000))}
export MILLRACE_TEST_SEEDS
results=build-dev/test-results.xml
rm -f "$results"
status=0
# The whole output, in which programs say what they skipped.
# On two cores, of which a test that waits or reads leaves one idle.
tests/times.py "$results" ctest --preset dev --parallel 3 --output-junit "$PWD/$results" \
  --test-output-size-passed 100000000 "$@" || status=$?
if [[ -e $results ]]; then
  complete=()
  if (($# == 0)); then
    complete=(--complete)
  fi
  tests/skips.py "$results" tests/expected_skips.txt "${complete[@]}" || status=1
  tests/failures.py "$results"
fi
exit $status
