// SPDX-License-Identifier: Apache-2.0
// Advice on shaders of the tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "advisor/advise.h"
#include "shaders/advisor_test_shaders.h"

namespace millrace::advisor::test {

// Of a module with one shader. Throws where there is none, with the reason.
inline Advice adviceOn(std::span<const uint32_t> words, const Options& options = {})
{
    auto shaders = advise(words, options);
    if (!shaders || shaders->size() != 1)
        throw std::runtime_error(shaders ? "not one shader" : shaders.error().text());
    return std::move(shaders->front());
}

inline const Output& outputNamed(const Advice& advice, std::string_view name)
{
    return *std::ranges::find(advice.facts.outputs, name, &Output::name);
}

inline const GpuPlan& planOn(const Advice& advice, std::string_view gpu)
{
    return *std::ranges::find_if(advice.plans, [&](const GpuPlan& plan) { return plan.gpu.name == gpu; });
}

}  // namespace millrace::advisor::test
