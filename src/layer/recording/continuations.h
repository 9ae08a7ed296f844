// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "layer/recording/boundary.h"

namespace millrace::layer {

// Several, for which the same is submitted: also while only some are not complete.
class Continuations final : public Continuation {
public:
    explicit Continuations(std::vector<std::shared_ptr<Continuation>> all) : m_all(std::move(all)) {}

    bool isComplete() const override
    {
        return std::ranges::all_of(m_all, [](const auto& one) { return one->isComplete(); });
    }
    bool isDecided() const override
    {
        return std::ranges::all_of(m_all, [](const auto& one) { return one->isDecided(); });
    }
    bool isSoonComplete() const override
    {
        return std::ranges::all_of(m_all, [](const auto& one) { return one->isSoonComplete(); });
    }
    void forgetDecision() override
    {
        for (const auto& one : m_all)
            one->forgetDecision();
    }
    size_t prepare(size_t most) override
    {
        size_t least = 0;  // but for those that need nothing
        for (const auto& one : m_all)
            if (const size_t own = one->prepare(most); own > 0)
                least = least == 0 ? own : std::min(least, own);
        return least;
    }
    Progress progress() const override
    {
        Progress sum{};
        for (const auto& one : m_all) {
            const Progress own = one->progress();
            for (size_t i = 0; i < sum.size(); ++i)
                sum[i] += own[i];
        }
        return sum;
    }
    void tellStalled() const override
    {
        for (const auto& one : m_all)
            if (!one->isComplete())
                one->tellStalled();
    }
    void report() noexcept override
    {
        for (const auto& one : m_all)
            one->report();
    }

private:
    const std::vector<std::shared_ptr<Continuation>> m_all;
};

}  // namespace millrace::layer
