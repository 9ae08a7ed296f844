// SPDX-License-Identifier: Apache-2.0
#include "commands/dispatches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "commands/stream_layout.h"
#include "layer/tomorrow.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

namespace {

using layertest::Buffer;

constexpr uint32_t kGroupInvocations = 4;
constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

// The shader accumulate.comp.
uint32_t hashOf(uint32_t salt, const PushWords& push, const uint32_t (&group)[3], const uint32_t* grid,
                uint32_t invocation)
{
    uint32_t hash = salt;
    for (uint32_t word : push)
        hash = mixed(hash, word);
    for (int i = 0; i < 3; ++i) {
        const uint32_t global = i == 0 ? group[0] * kGroupInvocations + invocation : group[i];
        hash = mixed(mixed(mixed(hash, group[i]), grid[i]), global);
    }
    return hash;
}

}  // namespace

void addDispatch(Sums& sums, uint32_t salt, const PushWords& push, const uint32_t* grid)
{
    for (uint32_t z = 0; z < grid[2]; ++z)
        for (uint32_t y = 0; y < grid[1]; ++y)
            for (uint32_t x = 0; x < grid[0]; ++x) {
                const uint32_t group[3] = {x, y, z};
                uint32_t hashes[kGroupInvocations];
                for (uint32_t i = 0; i < kGroupInvocations; ++i)
                    hashes[i] = hashOf(salt, push, group, grid, i);
                for (uint32_t i = 0; i < kGroupInvocations; ++i) {
                    const uint32_t hash = mixed(hashes[i], hashes[i ^ 1]);
                    sums[hash % kOutWords] += hash;
                }
            }
}

DispatchCase::DispatchCase(uint32_t seed, bool streams)
    : random(seed),
      hasSet(below(random, 3) == 0),
      layout(random, VK_SHADER_STAGE_COMPUTE_BIT, {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 3},
             {.set = hasSet, .numbers = !streams})
{
    maxSequences = 1 + below(random, below(random, 4) == 0 ? 2000 : 40);
    if (below(random, 3) == 0)
        deviceCount = below(random, 2 * maxSequences);
    isExplicit = below(random, 2);
    inSecondary = below(random, 4) == 0;
    isPushedInParts = below(random, 2);
    for (uint32_t& word : pushed)
        word = static_cast<uint32_t>(random());
    drawStream();
}

void DispatchCase::resize(uint32_t count)
{
    maxSequences = count;
    deviceCount.reset();
    drawStream();
}

void DispatchCase::drawStream()
{
    stream.resize(size_t{maxSequences} * layout.strideWords);
    for (uint32_t& word : stream)
        word = static_cast<uint32_t>(random());
    for (uint32_t i = 0; i < maxSequences; ++i) {
        uint32_t* record = &stream[size_t{i} * layout.strideWords];
        for (uint32_t k = 0; k < 3; ++k)
            record[layout.actionWord + k] = below(random, 8) == 0 ? 0 : 1 + below(random, 3);
        if (hasSet)
            record[layout.setWord] = below(random, static_cast<uint32_t>(std::size(kSalts)));
    }
}

Sums DispatchCase::expected() const
{
    Sums sums(kOutWords);
    for (uint32_t i = 0; i < sequences(); ++i) {
        const uint32_t* record = &stream[size_t{i} * layout.strideWords];
        const uint32_t salt = kSalts[hasSet ? record[layout.setWord] : 0];
        addDispatch(sums, salt, layout.valuesOf(record, i, pushed), record + layout.actionWord);
    }
    return sums;
}

Dispatches::Dispatches(Provider provider, const GeneratedOptions& with)
    : generated(provider, with), m_device(generated.device), m_hasObjects(with.objects), m_hasStreams(with.streams)
{
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_device.setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    MILLRACE_CHECK(vkCreatePipelineLayout(m_device.handle, &info, nullptr, &m_layout));
    m_device.onDestroy([this] { vkDestroyPipelineLayout(m_device.handle, m_layout, nullptr); });
    for (uint32_t salt : kSalts)
        if (m_hasObjects)
            m_objects.push_back(createObject(salt));
        else
            m_pipelines.push_back(createPipeline(salt));
    if (!m_hasStreams)
        createSet();
    m_out = m_device.createBuffer(kOutWords * 4);
    m_outSet = m_device.createSet(m_out);
}

// With a place more than there are members, which are put in one by one.
void Dispatches::createSet()
{
    VkIndirectExecutionSetPipelineInfoEXT pipelines{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    VkIndirectExecutionSetShaderLayoutInfoEXT setLayouts{
        VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT};
    setLayouts.setLayoutCount = 1;
    setLayouts.pSetLayouts = &m_device.setLayout;
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    VkIndirectExecutionSetShaderInfoEXT objects{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT};
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    if (m_hasObjects) {
        objects.shaderCount = 1;
        objects.pInitialShaders = m_objects.data();
        objects.pSetLayoutInfos = &setLayouts;
        objects.maxShaderCount = static_cast<uint32_t>(std::size(kSalts)) + 1;
        objects.pushConstantRangeCount = 1;
        objects.pPushConstantRanges = &range;
        info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
        info.info.pShaderInfo = &objects;
    } else {
        pipelines.initialPipeline = m_pipelines[0];
        pipelines.maxPipelineCount = static_cast<uint32_t>(std::size(kSalts)) + 1;
        info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
        info.info.pPipelineInfo = &pipelines;
    }
    MILLRACE_CHECK(generated.createSet(m_device.handle, &info, nullptr, &m_set));
    m_device.onDestroy([this] { generated.destroySet(m_device.handle, m_set, nullptr); });
    for (uint32_t i = 1; i < std::size(kSalts); ++i)
        put(i, i);
}

void Dispatches::put(uint32_t place, uint32_t member)
{
    if (m_hasObjects) {
        VkWriteIndirectExecutionSetShaderEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT};
        write.index = place;
        write.shader = m_objects[member];
        generated.updateShaders(m_device.handle, m_set, 1, &write);
    } else {
        VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT};
        write.index = place;
        write.pipeline = m_pipelines[member];
        generated.updateSet(m_device.handle, m_set, 1, &write);
    }
}

VkShaderEXT Dispatches::createObject(uint32_t salt)
{
    const VkSpecializationMapEntry entry{3, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = shaders::accumulate.size_bytes();
    info.pCode = shaders::accumulate.data();
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_device.setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    info.pSpecializationInfo = &specialization;
    const VkTomorrowEXT tomorrow = layertest::tomorrow();
    if (generated.hasTomorrow)
        info.pNext = &tomorrow;
    VkShaderEXT shader = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createShaders(m_device.handle, 1, &info, nullptr, &shader));
    m_device.onDestroy([this, shader] { generated.destroyShader(m_device.handle, shader, nullptr); });
    return shader;
}

void Dispatches::bindFirst(VkCommandBuffer cmd) const
{
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    if (m_hasObjects)
        generated.cmdBindShaders(cmd, 1, &stage, m_objects.data());
    else
        vkCmdBindPipeline(cmd, kCompute, m_pipelines[0]);
}

Buffer Dispatches::createPlace(const VkComputePipelineCreateInfo& info)
{
    const auto get =
        m_device.get<PFN_vkGetPipelineIndirectMemoryRequirementsNV>("vkGetPipelineIndirectMemoryRequirementsNV");
    VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    get(m_device.handle, &info, &requirements);
    return m_device.createBuffer(requirements.memoryRequirements.size,
                                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
}

void Dispatches::placeOneMore()
{
    m_place = createPlace({VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO});
    m_addresses.push_back(m_place.address);
}

void Dispatches::replaceLayout()
{
    vkDestroyPipelineLayout(m_device.handle, m_layout, nullptr);
    const VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    MILLRACE_CHECK(vkCreatePipelineLayout(m_device.handle, &info, nullptr, &m_layout));
}

void Dispatches::updateMemory(VkPipeline pipeline, VkDeviceAddress expected)
{
    const VkCommandBuffer cmd = m_device.begin();
    m_device.get<PFN_vkCmdUpdatePipelineIndirectBufferNV>("vkCmdUpdatePipelineIndirectBufferNV")(
        cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    m_device.submitAndWait(cmd);
    VkPipelineIndirectDeviceAddressInfoNV ask{VK_STRUCTURE_TYPE_PIPELINE_INDIRECT_DEVICE_ADDRESS_INFO_NV};
    ask.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    ask.pipeline = pipeline;
    EXPECT_EQ(m_device.get<PFN_vkGetPipelineIndirectDeviceAddressNV>("vkGetPipelineIndirectDeviceAddressNV")(
                  m_device.handle, &ask),
              expected);
}

VkPipeline Dispatches::createPipeline(uint32_t salt, bool isUpdated)
{
    // The module is gone when the pipeline is used.
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = shaders::accumulate.size_bytes();
    moduleInfo.pCode = shaders::accumulate.data();
    VkShaderModule module = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateShaderModule(m_device.handle, &moduleInfo, nullptr, &module));
    const VkSpecializationMapEntry entry{3, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
    info.stage = m_device.stage(module, "main");
    if (salt != kSalts[0])
        info.stage.pSpecializationInfo = &specialization;
    info.layout = m_layout;
    VkComputePipelineIndirectBufferInfoNV memory{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV, &flags};
    if (m_hasStreams) {
        flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV;
        const Buffer place = m_place.handle ? std::exchange(m_place, {}) : createPlace(info);
        memory.deviceAddress = place.address;
        memory.size = place.size;
        if (std::ranges::count(m_addresses, place.address) == 0)
            m_addresses.push_back(place.address);
        info.pNext = &memory;
    }
    const VkTomorrowEXT tomorrow = layertest::tomorrow();
    if (generated.hasTomorrow)
        flags.pNext = &tomorrow;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateComputePipelines(m_device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    vkDestroyShaderModule(m_device.handle, module, nullptr);
    m_device.onDestroy([this, pipeline] { vkDestroyPipeline(m_device.handle, pipeline, nullptr); });
    if (m_hasStreams && isUpdated)
        updateMemory(pipeline, memory.deviceAddress);
    return pipeline;
}

void Dispatches::bind(VkCommandBuffer cmd, const DispatchCase& drawn) const
{
    bindFirst(cmd);
    vkCmdBindDescriptorSets(cmd, kCompute, m_layout, 0, 1, &m_outSet, 0, nullptr);
    const uint32_t first = drawn.isPushedInParts ? 5 : kPushWords;
    vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, first * 4, drawn.pushed.data());
    if (first < kPushWords)
        vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, first * 4, (kPushWords - first) * 4,
                           drawn.pushed.data() + first);
}

namespace {

void barrier(VkCommandBuffer cmd, VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
             VkAccessFlags2 read)
{
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, written, to, read};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    vkCmdPipelineBarrier2(cmd, &info);
}

}  // namespace

// With a dispatch of the application's behind, which sees the state that was set before where tokens did not set it.
void Dispatches::record(VkCommandBuffer cmd, const DispatchCase& drawn,
                        const std::function<void(VkCommandBuffer)>& preprocess,
                        const std::function<void(VkCommandBuffer)>& execute)
{
    bind(cmd, drawn);
    if (drawn.isExplicit) {
        preprocess(cmd);
        barrier(cmd, VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT, VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT,
                VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
    }
    const auto push = [&](const PushWords& words) {
        vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4, words.data());
    };
    for (const PushWords& words : drawn.pushedBefore) {
        push(words);
        execute(cmd);
    }
    if (!drawn.pushedBefore.empty())
        push(drawn.pushed);
    execute(cmd);
    // Pipeline and set are still there; push constants that tokens have set are not.
    push(drawn.pushed);
    if (drawn.hasSet)
        bindFirst(cmd);
    vkCmdDispatch(cmd, 3, 1, 1);
}

Sums Dispatches::run(DispatchCase& drawn, const std::function<void(VkCommandBuffer)>& before)
{
    if (m_hasObjects)
        drawn.layout.set.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    const Buffer stream = generated.createStream(drawn.stream);
    const Buffer count = generated.createCount(drawn.deviceCount.value_or(0), drawn.maxSequences);
    VkIndirectCommandsLayoutEXT layout = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutCreateInfoEXT layoutInfo = drawn.layout.createInfo(
        m_layout, drawn.isExplicit ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0,
        VK_SHADER_STAGE_COMPUTE_BIT);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    VkPipelineLayoutCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    dynamic.setLayoutCount = 1;
    dynamic.pSetLayouts = &m_device.setLayout;
    dynamic.pushConstantRangeCount = 1;
    dynamic.pPushConstantRanges = &range;
    if (drawn.layout.isDynamic && generated.hasDynamicLayouts()) {
        layoutInfo.pipelineLayout = VK_NULL_HANDLE;
        layoutInfo.pNext = &dynamic;
    }
    MILLRACE_CHECK(generated.createLayout(m_device.handle, &layoutInfo, nullptr, &layout));

    VkGeneratedCommandsPipelineInfoEXT pipeline{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
    pipeline.pipeline = m_hasObjects ? VK_NULL_HANDLE : m_pipelines[0];
    VkGeneratedCommandsShaderInfoEXT object{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT};
    object.shaderCount = 1;
    object.pShaders = m_objects.data();
    void* const chain = m_hasObjects ? static_cast<void*>(&object) : &pipeline;
    VkGeneratedCommandsMemoryRequirementsInfoEXT ask{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT};
    ask.pNext = drawn.hasSet ? nullptr : chain;
    ask.indirectExecutionSet = drawn.hasSet ? m_set : VK_NULL_HANDLE;
    ask.indirectCommandsLayout = layout;
    ask.maxSequenceCount = drawn.maxSequences;
    const Buffer preprocess = generated.createPreprocess(ask, drawn.memoryOffset);

    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT, ask.pNext};
    info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    info.indirectExecutionSet = ask.indirectExecutionSet;
    info.indirectCommandsLayout = layout;
    info.indirectAddress = stream.address;
    info.indirectAddressSize = drawn.streamBytes.value_or(drawn.stream.size() * 4);
    info.preprocessAddress = preprocess.address;
    info.preprocessSize = preprocess.size;
    info.maxSequenceCount = drawn.maxSequences;
    info.sequenceCountAddress = drawn.deviceCount ? count.address : 0;

    const auto preprocessIt = [&](VkCommandBuffer state) { generated.preprocess(info, state); };
    const auto execute = [&](VkCommandBuffer target) { generated.cmdExecute(target, drawn.isExplicit, &info); };
    const VkCommandBuffer cmd = m_device.begin(usage);
    if (before)
        before(cmd);
    // Vulkan takes them in primaries alone (VUID-vkCmdExecuteGeneratedCommandsEXT-bufferlevel); the layer anywhere.
    if (drawn.inSecondary && generated.provider == Provider::Layer) {
        const VkCommandBuffer secondary = m_device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        begin.pInheritanceInfo = &inheritance;
        MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
        record(secondary, drawn, preprocessIt, execute);
        MILLRACE_CHECK(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
    } else {
        record(cmd, drawn, preprocessIt, execute);
    }
    Sums sums = submit(cmd);
    generated.destroyLayout(m_device.handle, layout, nullptr);
    return sums;
}

Sums Dispatches::submit(VkCommandBuffer cmd)
{
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    if (afterRecording)
        afterRecording();
    Sums sums;
    do {
        std::memset(m_out.words, 0, kOutWords * 4);
        m_device.submit(cmd);
        MILLRACE_CHECK(vkQueueWaitIdle(m_device.queue));
        sums.assign(m_out.words, m_out.words + kOutWords);
    } while (submitAgain && submitAgain(sums));
    return sums;
}

Sums Dispatches::runStreams(DispatchCase& drawn)
{
    StreamCall call(generated, drawn.random, drawn.layout, drawn.stream, drawn.maxSequences,
                    drawn.deviceCount ? &*drawn.deviceCount : nullptr);
    call.changeNumbers = changeNumbers;
    call.changeStreams = changeStreams;
    call.create(kCompute, m_layout, drawn.hasSet ? VK_NULL_HANDLE : m_pipelines[0],
                drawn.isExplicit ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_NV : 0, m_addresses);
    const VkCommandBuffer cmd = m_device.begin(usage);
    record(
        cmd, drawn, [&](VkCommandBuffer) { call.preprocess(); },
        [&](VkCommandBuffer target) {
            call.execute(target, drawn.isExplicit);
            // All state of the bind point is undefined.
            bind(target, drawn);
        });
    return submit(cmd);
}

// What record() dispatches itself.
void addOwn(Sums& sums, const DispatchCase& drawn)
{
    const uint32_t grid[3] = {3, 1, 1};
    addDispatch(sums, kSalts[0], drawn.pushed, grid);
}

}  // namespace millrace::commandtest
