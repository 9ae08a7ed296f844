// SPDX-License-Identifier: Apache-2.0
// A graph whose slots one workgroup runs one after the other: the code of all its nodes in one module (docs/design.md,
// "Solo").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/compile.h"
#include "graph/solo.h"

namespace millrace::compiler {

// What a node is compiled from: as for prepare().
struct SoloSource {
    std::span<const uint32_t> words;
    Options options;
};

struct SoloLimits {
    uint32_t invocations = 128;        // of a workgroup
    uint32_t sharedBytes = 16 * 1024;  // likewise
};

struct SoloModule {
    spirv::Words words;  // GLCompute, entry point "main", which takes abi::SoloArguments
    graph::SoloShape shape;
};

// The sources are different codes of one graph, whose dispatches give them as abi::kSoloStepCode. All have the same
// argumentsOffsetBytes. Errors say why they cannot be one module.
Result<SoloModule> makeSolo(std::span<const SoloSource> sources, const SoloLimits& limits);

}  // namespace millrace::compiler
