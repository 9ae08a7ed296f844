// SPDX-License-Identifier: Apache-2.0
// What AMD's GPUs make of mesh and task shaders, without such a GPU. docs/advisor.md has the rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "advisor/findings.h"
#include "advisor/prepare.h"
#include "advisor/source_texts.h"

namespace millrace::advisor {

struct Advice {
    Facts facts;
    std::vector<GpuPlan> plans;  // of all gpus(), in their order
    std::vector<Finding> findings;
    SourceTexts sources;
};

// Of the module's mesh and task shaders, in its order. Errors: those of prepare() and readFacts().
// Thread-safe.
Result<std::vector<Advice>> advise(std::span<const uint32_t> words, const Options& options);

}  // namespace millrace::advisor
