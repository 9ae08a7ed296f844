// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/lowered_code.h"

#include <utility>

namespace millrace::layer {

LoweredCode::LoweredCode(SharedWords words, const nodes::Options& options,
                         std::shared_ptr<const nodes::PreparedNode> prepared)
    : m_words(std::move(words)), m_options(options), m_node(prepared->node), m_prepared(std::move(prepared))
{
}

Result<nodes::LoweredNode> LoweredCode::get()
{
    std::unique_lock lock(m_mutex);
    if (m_lowered)
        return *m_lowered;
    if (m_isReleased) {
        lock.unlock();
        return makeAgain();
    }
    Result<nodes::LoweredNode> lowered = nodes::lower(*m_prepared, m_options);
    if (lowered) {
        m_lowered = *lowered;
        m_prepared = nullptr;
    }
    return lowered;
}

void LoweredCode::release()
{
    std::lock_guard lock(m_mutex);
    m_lowered.reset();
    m_prepared = nullptr;
    m_isReleased = true;
}

bool LoweredCode::isReleased() const
{
    std::lock_guard lock(m_mutex);
    return m_isReleased;
}

// Validating takes longer than all else, and was done.
Result<nodes::LoweredNode> LoweredCode::makeAgain() const
{
    nodes::Options options = m_options;
    options.checks.isValid = true;
    const Result<nodes::PreparedNode> prepared = nodes::prepare(*m_words, options);
    if (!prepared)
        return prepared.error();
    return nodes::lower(*prepared, options);
}

}  // namespace millrace::layer
