// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/d3d12_program.h"

#include <algorithm>
#include <cstring>

namespace millrace::bench::peer {

namespace {

const WideName kProgram("graph");
// Of the peer's CPU inputs, see Form::CpuSplit.
constexpr uint32_t kSplitRecords = 32736;
// Entry nodes of the peer read a record of GPU input where there is none.
constexpr uint64_t kNoRecordBytes = 65536;

// `range` is that of a table.
D3D12_ROOT_PARAMETER parameterOf(const Argument& argument, D3D12_DESCRIPTOR_RANGE& range)
{
    D3D12_ROOT_PARAMETER out{};
    switch (argument.kind) {
        case Argument::Kind::Constants:
            out.ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
            out.Constants = {argument.shaderRegister, 0, static_cast<UINT>(argument.constants.size())};
            break;
        case Argument::Kind::Uav:
            out.ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV;
            out.Descriptor = {argument.shaderRegister, 0};
            break;
        case Argument::Kind::Srv:
            out.ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV;
            out.Descriptor = {argument.shaderRegister, 0};
            break;
        case Argument::Kind::Image:
            range = {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 1, argument.shaderRegister, 0, 0};
            out.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
            out.DescriptorTable = {1, &range};
            break;
    }
    return out;
}

// The i-th node of Graph::local has the i-th record of local root arguments: by overrides, since the peer gives indices
// to no node.
class LocalIndices {
public:
    explicit LocalIndices(const std::vector<LocalArguments>& local) : m_overrides(local.size())
    {
        for (const LocalArguments& each : local) {
            m_names.emplace_back(each.function);
            m_indices.push_back(static_cast<UINT>(m_indices.size()));
        }
        for (size_t i = 0; i < local.size(); ++i) {
            m_overrides[i].pLocalRootArgumentsTableIndex = &m_indices[i];
            D3D12_NODE& node = m_nodes.emplace_back();
            node.NodeType = D3D12_NODE_TYPE_SHADER;
            node.Shader.Shader = m_names[i].get();
            node.Shader.OverridesType = D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE;
            node.Shader.pCommonComputeNodeOverrides = &m_overrides[i];
        }
    }
    LocalIndices(const LocalIndices&) = delete;

    void addTo(D3D12_WORK_GRAPH_DESC& desc) const
    {
        desc.NumExplicitlyDefinedNodes = static_cast<UINT>(m_nodes.size());
        desc.pExplicitlyDefinedNodes = m_nodes.data();
    }

private:
    std::vector<WideName> m_names;
    std::vector<UINT> m_indices;
    std::vector<D3D12_COMMON_COMPUTE_NODE_OVERRIDES> m_overrides;
    std::vector<D3D12_NODE> m_nodes;
};

}  // namespace

D3d12Resource::D3d12Resource(D3d12Device& device, const Resource& resource, uint32_t slots)
    : m_bytes(resource.size()),
      m_width(resource.width),
      m_height(resource.height),
      m_resource(resource.isImage() ? device.createImage(resource.width, resource.height)
                                    : device.createBuffer(m_bytes, Heap::Default)),
      m_initial(device.createFilled(resource.initial.data(), resource.initial.size() * sizeof(uint32_t), m_bytes)),
      m_results(device.createBuffer(m_bytes * slots, Heap::Readback))
{
}

D3D12_TEXTURE_COPY_LOCATION D3d12Resource::imageLocation() const
{
    D3D12_TEXTURE_COPY_LOCATION location{};
    location.pResource = m_resource.get();
    location.Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX;
    return location;
}

D3D12_TEXTURE_COPY_LOCATION D3d12Resource::bufferLocation(ID3D12Resource* buffer, uint64_t at) const
{
    D3D12_TEXTURE_COPY_LOCATION location{};
    location.pResource = buffer;
    location.Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT;
    location.PlacedFootprint.Offset = at;
    location.PlacedFootprint.Footprint = {DXGI_FORMAT_R8G8B8A8_UNORM, m_width, m_height, 1, m_width * 4};
    return location;
}

void D3d12Resource::recordClear(ID3D12GraphicsCommandList10& list) const
{
    if (isImage()) {
        const D3D12_TEXTURE_COPY_LOCATION from = bufferLocation(m_initial.get(), 0), to = imageLocation();
        list.CopyTextureRegion(&to, 0, 0, 0, &from, nullptr);
    } else {
        list.CopyBufferRegion(m_resource.get(), 0, m_initial.get(), 0, m_bytes);
    }
    transition(list, m_resource.get(), D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
}

void D3d12Resource::recordKeep(ID3D12GraphicsCommandList10& list, uint32_t slot) const
{
    transition(list, m_resource.get(), D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    if (isImage()) {
        const D3D12_TEXTURE_COPY_LOCATION from = imageLocation(), to = bufferLocation(m_results.get(), slot * m_bytes);
        list.CopyTextureRegion(&to, 0, 0, 0, &from, nullptr);
        transition(list, m_resource.get(), D3D12_RESOURCE_STATE_COPY_SOURCE, D3D12_RESOURCE_STATE_COPY_DEST);
    } else {
        // Buffers fall back to the common state where the list ends.
        list.CopyBufferRegion(m_results.get(), slot * m_bytes, m_resource.get(), 0, m_bytes);
    }
}

Words D3d12Resource::kept(uint32_t slot) const
{
    Words out(m_bytes / sizeof(uint32_t));
    void* mapped = nullptr;
    check(m_results->Map(0, nullptr, &mapped), "Map");
    std::memcpy(out.data(), static_cast<const uint8_t*>(mapped) + slot * m_bytes, out.size() * sizeof(uint32_t));
    m_results->Unmap(0, nullptr);
    return out;
}

D3d12Arguments::D3d12Arguments(D3d12Device& device, const Graph& graph) : m_device(device), m_arguments(graph.arguments)
{
    std::vector<D3D12_ROOT_PARAMETER> parameters;
    std::vector<D3D12_DESCRIPTOR_RANGE> ranges(m_arguments.size());
    for (size_t i = 0; i < m_arguments.size(); ++i)
        parameters.push_back(parameterOf(m_arguments[i], ranges[i]));
    D3D12_ROOT_SIGNATURE_DESC desc{};
    desc.NumParameters = static_cast<UINT>(parameters.size());
    desc.pParameters = parameters.data();
    m_signature = device.library().createRootSignature(device.get(), desc);
    const auto images = std::ranges::count(m_arguments, Argument::Kind::Image, &Argument::kind);
    if (images == 0)
        return;
    const D3D12_DESCRIPTOR_HEAP_DESC heap{D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, static_cast<UINT>(images),
                                          D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    check(device.get().CreateDescriptorHeap(&heap, idOf<ID3D12DescriptorHeap>(), m_heap.out()), "CreateDescriptorHeap");
}

void D3d12Arguments::write(const std::vector<std::unique_ptr<D3d12Resource>>& resources)
{
    if (!m_heap)
        return;
    D3D12_CPU_DESCRIPTOR_HANDLE handle = m_heap->GetCPUDescriptorHandleForHeapStart();
    for (const Argument& argument : m_arguments) {
        if (argument.kind != Argument::Kind::Image)
            continue;
        D3D12_UNORDERED_ACCESS_VIEW_DESC view{};
        view.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
        view.ViewDimension = D3D12_UAV_DIMENSION_TEXTURE2D;
        m_device.get().CreateUnorderedAccessView(resources[argument.resource]->get(), nullptr, &view, handle);
        handle.ptr += m_device.get().GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    }
}

void D3d12Arguments::record(ID3D12GraphicsCommandList10& list,
                            const std::vector<std::unique_ptr<D3d12Resource>>& resources) const
{
    D3D12_GPU_DESCRIPTOR_HANDLE handle{};
    if (m_heap) {
        ID3D12DescriptorHeap* const heap = m_heap.get();
        list.SetDescriptorHeaps(1, &heap);
        handle = m_heap->GetGPUDescriptorHandleForHeapStart();
    }
    list.SetComputeRootSignature(m_signature.get());
    for (UINT i = 0; i < m_arguments.size(); ++i) {
        const Argument& argument = m_arguments[i];
        switch (argument.kind) {
            case Argument::Kind::Constants:
                list.SetComputeRoot32BitConstants(i, static_cast<UINT>(argument.constants.size()),
                                                  argument.constants.data(), 0);
                break;
            case Argument::Kind::Uav:
                list.SetComputeRootUnorderedAccessView(i, resources[argument.resource]->address());
                break;
            case Argument::Kind::Srv:
                list.SetComputeRootShaderResourceView(i, resources[argument.resource]->address());
                break;
            case Argument::Kind::Image:
                list.SetComputeRootDescriptorTable(i, handle);
                handle.ptr += m_device.get().GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
                break;
        }
    }
}

D3d12Graph::D3d12Graph(D3d12Device& device, const Graph& graph, ID3D12RootSignature* signature) : m_device(device)
{
    create(graph, signature);
    m_properties = m_object.as<ID3D12WorkGraphProperties>("QueryInterface(ID3D12WorkGraphProperties)");
    const auto properties = m_object.as<ID3D12StateObjectProperties1>("QueryInterface(ID3D12StateObjectProperties1)");
    m_identifier = properties->GetProgramIdentifier(kProgram.get());
    D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS needs{};
    m_properties->GetWorkGraphMemoryRequirements(0, &needs);
    m_backingBytes = needs.MaxSizeInBytes;
    if (m_backingBytes != 0)
        m_backing = device.createBuffer(m_backingBytes, Heap::Default);
    if (!graph.local.empty())
        fillLocalTable(graph.local);
}

void D3d12Graph::create(const Graph& graph, ID3D12RootSignature* signature)
{
    const D3D12_DXIL_LIBRARY_DESC library{{graph.container.data(), graph.container.size()}, 0, nullptr};
    D3D12_WORK_GRAPH_DESC workGraph{};
    workGraph.ProgramName = kProgram.get();
    workGraph.Flags = D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES;
    const LocalIndices indices(graph.local);
    indices.addTo(workGraph);
    const D3D12_GLOBAL_ROOT_SIGNATURE global{signature};
    std::vector<D3D12_STATE_SUBOBJECT> parts = {{D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
                                                {D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, &workGraph},
                                                {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &global}};
    D3D12_LOCAL_ROOT_SIGNATURE local{};
    if (!graph.local.empty()) {
        D3D12_ROOT_PARAMETER parameter{};
        parameter.ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
        parameter.Constants = {0, 0, static_cast<UINT>(graph.local.front().constants.size())};
        const D3D12_ROOT_SIGNATURE_DESC desc{1, &parameter, 0, nullptr, D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE};
        m_localSignature = m_device.library().createRootSignature(m_device.get(), desc);
        local.pLocalRootSignature = m_localSignature.get();
        parts.push_back({D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &local});
    }
    const D3D12_STATE_OBJECT_DESC desc{D3D12_STATE_OBJECT_TYPE_EXECUTABLE, static_cast<UINT>(parts.size()),
                                       parts.data()};
    check(m_device.get().CreateStateObject(&desc, idOf<ID3D12StateObject>(), m_object.out()), "CreateStateObject");
}

// Record i is that of the i-th node, as LocalIndices says.
void D3d12Graph::fillLocalTable(const std::vector<LocalArguments>& local)
{
    const size_t stride = (local.front().constants.size() + 1) / 2 * 2;
    Words table;
    for (const LocalArguments& each : local) {
        table.insert(table.end(), each.constants.begin(), each.constants.end());
        table.resize((table.size() + stride - 1) / stride * stride);
    }
    const uint64_t bytes = table.size() * sizeof(uint32_t);
    m_localTable = m_device.createFilled(table.data(), bytes, bytes);
    m_localRange = {m_localTable->GetGPUVirtualAddress(), bytes, stride * sizeof(uint32_t)};
}

uint32_t D3d12Graph::entryIndex(const std::string& node) const
{
    const WideName name(node);
    const UINT index = m_properties->GetEntrypointIndex(0, {name.get(), 0});
    if (index == ~0u)
        throw PeerError("it finds no entry point " + node);
    return index;
}

void D3d12Graph::record(ID3D12GraphicsCommandList10& list) const
{
    D3D12_SET_PROGRAM_DESC program{};
    program.Type = D3D12_PROGRAM_TYPE_WORK_GRAPH;
    program.WorkGraph.ProgramIdentifier = m_identifier;
    program.WorkGraph.Flags = D3D12_SET_WORK_GRAPH_FLAG_INITIALIZE;
    if (m_backing)
        program.WorkGraph.BackingMemory = {m_backing->GetGPUVirtualAddress(), m_backingBytes};
    program.WorkGraph.NodeLocalRootArgumentsTable = m_localRange;
    list.SetProgram(&program);
}

D3d12Inputs::D3d12Inputs(D3d12Device& device, const D3d12Graph& graph, const Work& work)
{
    if (work.form == Form::Gpu)
        setGpu(device, graph, work);
    else
        setCpu(graph, work);
}

void D3d12Inputs::setCpu(const D3d12Graph& graph, const Work& work)
{
    for (const Launch& launch : work.launches) {
        const uint32_t most = work.form == Form::CpuSplit ? kSplitRecords : launch.count;
        for (uint32_t at = 0; at < launch.count; at += most) {
            D3D12_NODE_CPU_INPUT& input = m_inputs.emplace_back();
            input.EntrypointIndex = graph.entryIndex(launch.node);
            input.NumRecords = std::min(most, launch.count - at);
            if (launch.strideWords != 0)
                input.pRecords = const_cast<uint32_t*>(launch.words.data() + size_t{at} * launch.strideWords);
            input.RecordStrideInBytes = launch.strideWords * sizeof(uint32_t);
        }
    }
    if (m_inputs.size() == 1) {
        m_desc.Mode = D3D12_DISPATCH_MODE_NODE_CPU_INPUT;
        m_desc.NodeCPUInput = m_inputs.front();
        return;
    }
    m_desc.Mode = D3D12_DISPATCH_MODE_MULTI_NODE_CPU_INPUT;
    m_desc.MultiNodeCPUInput = {static_cast<UINT>(m_inputs.size()), m_inputs.data(), sizeof m_inputs.front()};
}

void D3d12Inputs::setGpu(D3d12Device& device, const D3d12Graph& graph, const Work& work)
{
    if (work.launches.size() != 1)
        throw PeerError("it does nothing for several inputs of the device (D3D12_DISPATCH_MODE_MULTI_NODE_GPU_INPUT)");
    const Launch& launch = work.launches.front();
    const uint64_t bytes = launch.words.size() * sizeof(uint32_t);
    m_buffers.push_back(device.createFilled(launch.words.data(), bytes, std::max(bytes, kNoRecordBytes)));
    const D3D12_NODE_GPU_INPUT input{graph.entryIndex(launch.node),
                                     launch.count,
                                     {m_buffers.back()->GetGPUVirtualAddress(), launch.strideWords * sizeof(uint32_t)}};
    m_buffers.push_back(device.createFilled(&input, sizeof input, sizeof input));
    m_desc.Mode = D3D12_DISPATCH_MODE_NODE_GPU_INPUT;
    m_desc.NodeGPUInput = m_buffers.back()->GetGPUVirtualAddress();
}

D3d12Program::D3d12Program(D3d12Device& device, const Graph& graph)
    : m_device(device), m_arguments(device, graph), m_graph(device, graph, m_arguments.signature())
{
    const D3D12_QUERY_HEAP_DESC desc{D3D12_QUERY_HEAP_TYPE_TIMESTAMP, 2, 0};
    check(device.get().CreateQueryHeap(&desc, idOf<ID3D12QueryHeap>(), m_stamps.out()), "CreateQueryHeap");
    m_stampResults = device.createBuffer(256, Heap::Readback);
}

void D3d12Program::prepare(const Work& work, uint32_t slots)
{
    m_resources.clear();
    for (const Resource& resource : work.resources)
        m_resources.push_back(std::make_unique<D3d12Resource>(m_device, resource, slots));
    m_arguments.write(m_resources);
    m_inputs = std::make_unique<D3d12Inputs>(m_device, m_graph, work);
}

double D3d12Program::run(uint32_t slot)
{
    m_device.submit([&](ID3D12GraphicsCommandList10& list) {
        for (const auto& resource : m_resources)
            resource->recordClear(list);
        m_arguments.record(list, m_resources);
        m_graph.record(list);
        D3D12_RESOURCE_BARRIER all{};
        all.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
        list.ResourceBarrier(1, &all);
        list.EndQuery(m_stamps.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0);
        list.DispatchGraph(&m_inputs->desc());
        list.EndQuery(m_stamps.get(), D3D12_QUERY_TYPE_TIMESTAMP, 1);
        for (const auto& resource : m_resources)
            resource->recordKeep(list, slot);
        list.ResolveQueryData(m_stamps.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0, 2, m_stampResults.get(), 0);
    });
    return microseconds();
}

double D3d12Program::microseconds() const
{
    UINT64 frequency = 0;
    check(m_device.queue().GetTimestampFrequency(&frequency), "GetTimestampFrequency");
    void* mapped = nullptr;
    check(m_stampResults->Map(0, nullptr, &mapped), "Map");
    uint64_t ticks[2];
    std::memcpy(ticks, mapped, sizeof ticks);
    m_stampResults->Unmap(0, nullptr);
    return static_cast<double>(ticks[1] - ticks[0]) * 1e6 / static_cast<double>(frequency);
}

Words D3d12Program::result(size_t resource, uint32_t slot)
{
    return m_resources[resource]->kept(slot);
}

}  // namespace millrace::bench::peer
