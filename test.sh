#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs all tests.
#
#   ./test.sh [option of ctest...]     for example -R spirv, or -L vulkan
set -euo pipefail
cd "$(dirname "$0")"

scripts/build.sh dev
ctest --preset dev --parallel 2 "$@"
