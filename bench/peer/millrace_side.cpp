// SPDX-License-Identifier: Apache-2.0
// Millrace: the library's nodes, translated to SPIR-V, as an execution graph through the layer.
#include <algorithm>
#include <cstdlib>

#include "bench/peer/clock_load.h"
#include "bench/peer/side.h"
#include "bench/peer/vulkan_resources.h"
#include "dxil/translate.h"
#include "harness/runner.h"

namespace millrace::bench::peer {

namespace {

constexpr uint32_t kLocalSet = 6;  // dxil::LocalTable's

dxil::RootSignature signatureOf(const Graph& graph)
{
    dxil::RootSignature out;
    for (const Argument& argument : graph.arguments) {
        dxil::RootParameter& parameter = out.parameters.emplace_back();
        parameter.shaderRegister = argument.shaderRegister;
        using Kind = dxil::RootParameter::Kind;
        switch (argument.kind) {
            case Argument::Kind::Constants:
                parameter.kind = Kind::Constants;
                parameter.constants = static_cast<uint32_t>(argument.constants.size());
                break;
            case Argument::Kind::Uav:
                parameter.kind = Kind::Uav;
                break;
            case Argument::Kind::Srv:
                parameter.kind = Kind::Srv;
                break;
            case Argument::Kind::Image:
                parameter.ranges = {{dxil::ResourceClass::Uav, 1, argument.shaderRegister}};
                break;
        }
    }
    return out;
}

dxil::Options optionsOf(const Graph& graph)
{
    dxil::Options options;
    options.rootSignature = signatureOf(graph);
    if (graph.local.empty())
        return options;
    dxil::RootParameter constants;
    constants.kind = dxil::RootParameter::Kind::Constants;
    constants.constants = static_cast<uint32_t>(graph.local.front().constants.size());
    options.localSignatures.push_back({{}, {{constants}, {}}});
    for (size_t i = 0; i < graph.local.size(); ++i) {
        dxil::NodeOverride node;
        node.entry = graph.local[i].function;
        node.localArgumentsIndex = static_cast<int32_t>(i);
        options.nodes.push_back(std::move(node));
    }
    return options;
}

std::vector<harness::Stage> stagesOf(const dxil::Translation& translation)
{
    std::vector<harness::Stage> out;
    for (const dxil::Shader& shader : translation.shaders) {
        // Name and index are what the module says.
        harness::Stage& stage = out.emplace_back();
        stage.words = shader.words;
        stage.entry = shader.entryPoint;
    }
    return out;
}

// The records of local root arguments, in the order of Graph::local.
Words localTableOf(const Graph& graph)
{
    Words out;
    for (const LocalArguments& each : graph.local) {
        out.insert(out.end(), each.constants.begin(), each.constants.end());
        out.resize((out.size() + 1) / 2 * 2);  // strides are multiples of 8 bytes
    }
    return out;
}

uint32_t imagesOf(const Graph& graph)
{
    return static_cast<uint32_t>(std::ranges::count(graph.arguments, Argument::Kind::Image, &Argument::kind));
}

void throwWhatLayersSaid(harness::Device& device)
{
    const std::vector<std::string> messages = device.takeMessages();
    if (!messages.empty())
        throw PeerError(messages.front());
}

class MillraceProgram : public Program {
public:
    MillraceProgram(harness::Device& device, const Graph& graph, const dxil::Translation& translation)
        : m_device(device),
          m_graph(graph),
          m_bytes(translation.bindings.pushConstantBytes),
          m_layout(device, imagesOf(graph), graph.local.empty() ? 0 : kLocalSet, m_bytes),
          m_pipeline(device, m_layout.handle(), stagesOf(translation)),
          m_stamps(device)
    {
        if (!graph.local.empty())
            m_layout.writeLocalTable(localTableOf(graph));
    }

    void prepare(const Work& work, uint32_t slots) override
    {
        m_resources.clear();
        for (const Resource& resource : work.resources)
            m_resources.push_back(std::make_unique<GpuResource>(m_device, resource, slots));
        m_arguments = argumentBytes();
        uint32_t images = 0;
        for (const Argument& argument : m_graph.arguments)
            if (argument.kind == Argument::Kind::Image)
                m_layout.writeImage(images++, m_resources[argument.resource]->view());
        m_inputs = std::make_unique<Inputs>(m_device, m_pipeline, work);
    }

    double run(uint32_t slot) override
    {
        m_device.submit([&](VkCommandBuffer cmd) {
            m_stamps.reset(cmd);
            for (const auto& resource : m_resources)
                resource->recordClear(cmd);
            harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_pipeline.handle());
            m_layout.bind(cmd, m_arguments);
            m_stamps.record(cmd, 0);
            m_inputs->recordDispatch(cmd);
            m_stamps.record(cmd, 1);
            harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
            for (const auto& resource : m_resources)
                resource->recordKeep(cmd, slot);
        });
        throwWhatLayersSaid(m_device);
        return m_stamps.microseconds();
    }

    Words result(size_t resource, uint32_t slot) override { return m_resources[resource]->kept(slot); }

private:
    // As dxil::addRootSignature() lays them out: constants, and addresses from a multiple of 8 on.
    std::vector<uint8_t> argumentBytes() const
    {
        std::vector<uint8_t> bytes;
        for (const Argument& argument : m_graph.arguments)
            append(bytes, argument.constants.data(), argument.constants.size() * sizeof(uint32_t));
        bytes.resize((bytes.size() + 7) / 8 * 8);
        for (const Argument& argument : m_graph.arguments) {
            if (argument.kind != Argument::Kind::Uav && argument.kind != Argument::Kind::Srv)
                continue;
            const VkDeviceAddress address = m_resources[argument.resource]->address();
            append(bytes, &address, sizeof address);
        }
        bytes.resize(m_bytes);
        return bytes;
    }
    static void append(std::vector<uint8_t>& bytes, const void* from, size_t size)
    {
        const auto* const data = static_cast<const uint8_t*>(from);
        bytes.insert(bytes.end(), data, data + size);
    }

    harness::Device& m_device;
    const Graph m_graph;
    const uint32_t m_bytes;  // of arguments
    ArgumentLayout m_layout;
    GraphPipeline m_pipeline;
    Stamps m_stamps;
    std::vector<std::unique_ptr<GpuResource>> m_resources;
    std::vector<uint8_t> m_arguments;
    std::unique_ptr<Inputs> m_inputs;
};

class MillraceSide : public Side {
public:
    MillraceSide() : m_device(deviceOptions()), m_load(m_device) {}

    std::string device() const override
    {
        VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
        vkGetPhysicalDeviceProperties2(m_device.physical, &properties);
        return std::string(m_device.properties.deviceName) + ", " + driver.driverName + " " + driver.driverInfo;
    }

    std::unique_ptr<Program> create(const Graph& graph) override
    {
        const Result<dxil::Translation> translation = dxil::translate(graph.container, optionsOf(graph));
        if (!translation)
            throw PeerError(translation.error().text());
        auto program = std::make_unique<MillraceProgram>(m_device, graph, *translation);
        throwWhatLayersSaid(m_device);
        return program;
    }

    void raiseClocks() override { m_load.raise(); }

private:
    static harness::DeviceOptions deviceOptions()
    {
        harness::DeviceOptions options;
        options.allFeatures = true;  // images without a format, 64-bit integers: whatever a library has
        return options;
    }

    harness::Device m_device;
    ClockLoad m_load;
};

}  // namespace

std::unique_ptr<Side> createMillrace(const std::string& device)
{
    // The harness looks there.
    if (!device.empty())
        setenv("MILLRACE_TEST_DEVICE", device.c_str(), 1);
    return std::make_unique<MillraceSide>();
}

}  // namespace millrace::bench::peer
