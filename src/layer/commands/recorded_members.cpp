// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/recorded_members.h"

#include <algorithm>
#include <string>
#include <vector>

#include "layer/loader/device.h"

namespace millrace::layer {

namespace {

constexpr char kId[] = "Millrace-generated-commands";
constexpr char kAdvice[] =
    "Record the command buffer again behind such changes; docs/generated-commands.md says more under Sets that change "
    "behind the recording";

// "place 3", "places 1, 3 and 4", "places 1, 2 and 70 others".
std::string placesText(const std::vector<uint32_t>& indices)
{
    constexpr size_t kMost = 8;
    const size_t named = std::min(indices.size(), kMost);
    std::string text = indices.size() == 1 ? "place " : "places ";
    for (size_t i = 0; i < named; ++i) {
        const bool isLast = i > 0 && i + 1 == indices.size();
        text += (isLast ? " and " : i > 0 ? ", " : "") + std::to_string(indices[i]);
    }
    return indices.size() > named ? text + " and " + std::to_string(indices.size() - named) + " others" : text;
}

}  // namespace

void RecordedMembers::beforeSubmission()
{
    const std::shared_ptr<MemberChanges> changes = m_changes.lock();
    const std::vector<uint32_t> news = changes ? changes->takeNews(m_version) : std::vector<uint32_t>();
    if (news.empty())
        return;
    const bool isOne = news.size() == 1;
    if (m_owner.type == VK_OBJECT_TYPE_DEVICE) {
        m_device.messages().warning(
            kId, m_owner,
            (isOne ? "a pipeline with an address was"
                   : std::to_string(news.size()) + " pipelines with addresses were") +
                std::string(" created behind the recording of generated commands that are submitted now: sequences "
                            "whose token PIPELINE names ") +
                (isOne ? "it" : "them") + " are left out",
            kAdvice);
        return;
    }
    m_device.messages().warning(kId, m_owner,
                                placesText(news) + " of the execution set " + (isOne ? "was" : "were") +
                                    " changed behind the recording of generated commands that are submitted now: "
                                    "sequences that mean " +
                                    (isOne ? "it" : "them") +
                                    " run what was there then, or are left out if nothing was",
                                kAdvice);
}

}  // namespace millrace::layer
