// SPDX-License-Identifier: Apache-2.0
#include "advisor/advise.h"

namespace millrace::advisor {

Result<std::vector<Advice>> advise(std::span<const uint32_t> words, const Options& options)
{
    const auto shaders = prepare(words, options);
    if (!shaders)
        return shaders.error();
    std::vector<Advice> out;
    for (const PreparedShader& shader : *shaders) {
        auto facts = readFacts(shader);
        if (!facts)
            return facts.error();
        Advice advice{std::move(*facts), {}, {}, readSourceTexts(shader.module)};
        for (const Gpu& gpu : gpus())
            advice.plans.push_back(planFor(advice.facts, gpu));
        advice.findings = findIn(advice.facts, advice.plans);
        out.push_back(std::move(advice));
    }
    return out;
}

}  // namespace millrace::advisor
