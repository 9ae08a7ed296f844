// SPDX-License-Identifier: Apache-2.0
#include "tools/run/arguments.h"

#include <algorithm>
#include <cstring>

namespace millrace::tools::run {

namespace {

// More than the extension asks for; no member of a payload is larger.
constexpr uint64_t kAlignment = 16;

uint64_t alignUp(uint64_t value)
{
    return (value + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Arguments::Arguments(Memory& memory, const Pipeline& pipeline, const Dispatch& dispatch, DispatchForm form)
    : m_form(form)
{
    for (const Launch& launch : dispatch.launches) {
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = pipeline.nodeIndex(launch.node);
        info.payloadCount = launch.count;
        info.payloads.hostAddress = launch.payloads.data();
        info.payloadStride = launch.stride;
        m_infos.push_back(info);
    }
    m_countInfo.count = static_cast<uint32_t>(m_infos.size());
    m_countInfo.stride = sizeof(VkDispatchGraphInfoAMDX);
    if (form != DispatchForm::Host)
        moveToDevice(memory, dispatch);
}

// Count info, infos and payloads one after the other.
void Arguments::moveToDevice(Memory& memory, const Dispatch& dispatch)
{
    const uint64_t infoBytes = m_infos.size() * sizeof(VkDispatchGraphInfoAMDX);
    uint64_t size = sizeof(m_countInfo) + infoBytes;
    std::vector<uint64_t> offsets;
    for (const Launch& launch : dispatch.launches) {
        offsets.push_back(alignUp(size));
        size = offsets.back() + launch.payloads.size();
    }
    m_buffer = memory.createBuffer(alignUp(size), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, Memory::Where::HostWrites);
    auto* bytes = static_cast<uint8_t*>(m_buffer.mapped);
    for (size_t i = 0; i < m_infos.size(); ++i) {
        const Bytes& payloads = dispatch.launches[i].payloads;
        std::copy(payloads.begin(), payloads.end(), bytes + offsets[i]);
        m_infos[i].payloads.deviceAddress = m_buffer.address + offsets[i];
    }
    m_countInfo.infos.deviceAddress = m_buffer.address + sizeof(m_countInfo);
    std::memcpy(bytes, &m_countInfo, sizeof(m_countInfo));
    std::memcpy(bytes + sizeof(m_countInfo), m_infos.data(), infoBytes);
    memory.makeVisibleToDevice(m_buffer);
}

void Arguments::record(VkCommandBuffer commands, const GraphFunctions& graphs, VkDeviceAddress scratch,
                       VkDeviceSize scratchBytes) const
{
    VkDispatchGraphCountInfoAMDX countInfo = m_countInfo;
    switch (m_form) {
        case DispatchForm::Host:
            countInfo.infos.hostAddress = m_infos.data();
            graphs.dispatch(commands, scratch, scratchBytes, &countInfo);
            break;
        case DispatchForm::Indirect:
            graphs.dispatchIndirect(commands, scratch, scratchBytes, &countInfo);
            break;
        case DispatchForm::IndirectCount:
            graphs.dispatchIndirectCount(commands, scratch, scratchBytes, m_buffer.address);
            break;
    }
}

}  // namespace millrace::tools::run
