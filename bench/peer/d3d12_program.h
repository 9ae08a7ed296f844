// SPDX-License-Identifier: Apache-2.0
// A work graph of D3D12 with its resources.
#pragma once

#include "bench/peer/d3d12.h"
#include "bench/peer/side.h"

namespace millrace::bench::peer {

// A buffer or image, and places for results that the host sees.
class D3d12Resource {
public:
    D3d12Resource(D3d12Device& device, const Resource& resource, uint32_t slots);

    ID3D12Resource* get() const { return m_resource.get(); }
    D3D12_GPU_VIRTUAL_ADDRESS address() const { return m_resource->GetGPUVirtualAddress(); }
    bool isImage() const { return m_width != 0; }
    // Behind it the resource is for unordered access.
    void recordClear(ID3D12GraphicsCommandList10& list) const;
    void recordKeep(ID3D12GraphicsCommandList10& list, uint32_t slot) const;
    Words kept(uint32_t slot) const;

private:
    D3D12_TEXTURE_COPY_LOCATION imageLocation() const;
    D3D12_TEXTURE_COPY_LOCATION bufferLocation(ID3D12Resource* buffer, uint64_t at) const;

    const uint64_t m_bytes;
    const uint32_t m_width, m_height;
    Com<ID3D12Resource> m_resource;
    Com<ID3D12Resource> m_initial;
    Com<ID3D12Resource> m_results;
};

// The global root signature's arguments.
class D3d12Arguments {
public:
    D3d12Arguments(D3d12Device& device, const Graph& graph);

    ID3D12RootSignature* signature() const { return m_signature.get(); }
    // Descriptors of images.
    void write(const std::vector<std::unique_ptr<D3d12Resource>>& resources);
    void record(ID3D12GraphicsCommandList10& list, const std::vector<std::unique_ptr<D3d12Resource>>& resources) const;

private:
    D3d12Device& m_device;
    const std::vector<Argument> m_arguments;
    Com<ID3D12RootSignature> m_signature;
    Com<ID3D12DescriptorHeap> m_heap;  // if there are images
};

// The state object, its backing memory, and the local root arguments.
class D3d12Graph {
public:
    D3d12Graph(D3d12Device& device, const Graph& graph, ID3D12RootSignature* signature);

    uint32_t entryIndex(const std::string& node) const;
    // Sets the program; its backing memory is initialized.
    void record(ID3D12GraphicsCommandList10& list) const;

private:
    void create(const Graph& graph, ID3D12RootSignature* signature);
    void fillLocalTable(const std::vector<LocalArguments>& local);

    D3d12Device& m_device;
    Com<ID3D12RootSignature> m_localSignature;
    Com<ID3D12StateObject> m_object;
    Com<ID3D12WorkGraphProperties> m_properties;
    D3D12_PROGRAM_IDENTIFIER m_identifier{};
    Com<ID3D12Resource> m_backing;
    uint64_t m_backingBytes = 0;
    Com<ID3D12Resource> m_localTable;
    D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE m_localRange{};
};

// Launches as DispatchGraph() takes them.
class D3d12Inputs {
public:
    // `work` outlives this.
    D3d12Inputs(D3d12Device& device, const D3d12Graph& graph, const Work& work);

    const D3D12_DISPATCH_GRAPH_DESC& desc() const { return m_desc; }

private:
    void setCpu(const D3d12Graph& graph, const Work& work);
    void setGpu(D3d12Device& device, const D3d12Graph& graph, const Work& work);

    std::vector<D3D12_NODE_CPU_INPUT> m_inputs;
    std::vector<Com<ID3D12Resource>> m_buffers;
    D3D12_DISPATCH_GRAPH_DESC m_desc{};
};

class D3d12Program : public Program {
public:
    D3d12Program(D3d12Device& device, const Graph& graph);

    void prepare(const Work& work, uint32_t slots) override;
    double run(uint32_t slot) override;
    Words result(size_t resource, uint32_t slot) override;

private:
    double microseconds() const;

    D3d12Device& m_device;
    D3d12Arguments m_arguments;
    D3d12Graph m_graph;
    Com<ID3D12QueryHeap> m_stamps;
    Com<ID3D12Resource> m_stampResults;
    std::vector<std::unique_ptr<D3d12Resource>> m_resources;
    std::unique_ptr<D3d12Inputs> m_inputs;
};

}  // namespace millrace::bench::peer
