// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/timed_front.h"

namespace millrace::layer {

void TimedFront::beforeSubmission()
{
    const std::lock_guard lock(m_mutex);
    m_isSubmitted = true;
}

// What there is no memory for is not told.
void TimedFront::report() noexcept
{
    try {
        const std::lock_guard lock(m_mutex);
        if (!m_isSubmitted)
            return;
        if (const std::optional<trace::Span> time = m_part->takeNews())
            m_sink->meshFront({m_name, m_draws, *time});
    } catch (...) {
    }
}

}  // namespace millrace::layer
