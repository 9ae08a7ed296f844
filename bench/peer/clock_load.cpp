// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/clock_load.h"

#include "shaders/bench_peer_shaders.h"

namespace millrace::bench::peer {

using harness::check;

namespace {

// Of bench/workloads/raw/spin.comp.
struct Arguments {
    VkDeviceAddress result;
    uint32_t rounds;
    uint32_t padding = 0;
};

constexpr uint32_t kRounds = 40000;
constexpr uint32_t kGroups = 2048;  // fill every device
constexpr double kAsFast = 1.03;
constexpr double kPatienceMicroseconds = 1e6;
constexpr double kFirstMicroseconds = 5e5;

}  // namespace

ClockLoad::ClockLoad(harness::Device& device)
    : m_device(device), m_stamps(device), m_result(device.createDeviceBuffer(4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT))
{
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Arguments)};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device.device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = device.createModule({shaders::peer_spin.begin(), shaders::peer_spin.end()});
    info.stage.pName = "main";
    info.layout = m_layout;
    const VkResult result = vkCreateComputePipelines(device.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
    vkDestroyShaderModule(device.device, info.stage.module, nullptr);
    check(result, "vkCreateComputePipelines");
}

ClockLoad::~ClockLoad()
{
    vkDestroyPipeline(m_device.device, m_pipeline, nullptr);
    vkDestroyPipelineLayout(m_device.device, m_layout, nullptr);
    m_device.destroyBuffer(m_result);
}

double ClockLoad::spin()
{
    const Arguments arguments{m_result.address, kRounds};
    m_device.submit([&](VkCommandBuffer cmd) {
        m_stamps.reset(cmd);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
        vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
        m_stamps.record(cmd, 0);
        vkCmdDispatch(cmd, kGroups, 1, 1);
        m_stamps.record(cmd, 1);
    });
    return m_stamps.microseconds();
}

void ClockLoad::raise()
{
    if (m_device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return;
    // The first time nobody knows how fast it can be.
    const double atLeast = m_least == 0 ? kFirstMicroseconds : 0;
    for (double spent = 0; spent < kPatienceMicroseconds;) {
        const double took = spin();
        spent += took;
        if (m_least == 0 || took < m_least)
            m_least = took;
        if (took < m_least * kAsFast && spent >= atLeast)
            return;
    }
}

}  // namespace millrace::bench::peer
