#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a part of the tests of a program of GoogleTest, another one for each commit (MILLRACE_TEST_SEEDS, see test.sh).
#
#   tests/sample.sh PARTS PROGRAM [option...]     one test in PARTS
#
# With options of its own, --gtest_filter for one, the program runs what fails as it always does.
set -euo pipefail
parts=$1
shift
# Seeds of commits are 10000 apart.
GTEST_SHARD_INDEX=$((${MILLRACE_TEST_SEEDS:-0} / 10000 % parts))
GTEST_TOTAL_SHARDS=$parts
export GTEST_SHARD_INDEX GTEST_TOTAL_SHARDS
echo "part $((GTEST_SHARD_INDEX + 1)) of $parts"
exec "$@"
