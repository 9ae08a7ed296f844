// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/member_changes.h"

namespace millrace::layer {

std::vector<uint32_t> MemberChanges::takeNews(uint64_t version)
{
    std::vector<uint32_t> news;
    if (m_version <= version)
        return news;
    const std::lock_guard lock(m_mutex);
    for (uint32_t i = 0; i < m_members.size(); ++i)
        if (m_members[i].version > version && !m_members[i].isTold) {
            m_members[i].isTold = true;
            news.push_back(i);
        }
    return news;
}

}  // namespace millrace::layer
