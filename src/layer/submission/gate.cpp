// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/gate.h"

#include <utility>

namespace millrace::layer {

VkResult Gate::close()
{
    if (const VkResult result = m_timeline.create(); result != VK_SUCCESS)
        return result;
    m_value += 2;
    m_isClosed = true;
    m_hasLet = false;
    return VK_SUCCESS;
}

VkResult Gate::letMore()
{
    return std::exchange(m_hasLet, true) ? VK_SUCCESS : m_timeline.signal(m_value - 1);
}

VkResult Gate::open()
{
    m_isClosed = false;
    return m_timeline.signal(m_value);
}

}  // namespace millrace::layer
