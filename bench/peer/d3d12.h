// SPDX-License-Identifier: Apache-2.0
// The peer's D3D12: its own public declarations, its library opened at run time, and what a program of D3D12 needs of
// both. Declarations are vkd3d_d3d12.h, which its build makes of include/vkd3d_d3d12.idl, and what that includes.
#pragma once

#include <vulkan/vulkan.h>

// Methods that return structures take a pointer to them, as the library's tables of functions have it.
#define WIDL_EXPLICIT_AGGREGATE_RETURNS
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <vkd3d_windows.h>
//
#include <vkd3d_d3d12.h>
#include <vkd3d_device_vkd3d_ext.h>
#undef interface

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

// Throws PeerError if the call failed.
void check(HRESULT result, const char* what);

template <typename T>
const IID& idOf()
{
    return __vkd3d_uuidof<T>();
}

// A reference to a COM object.
template <typename T>
class Com {
public:
    Com() = default;
    explicit Com(T* owned) : m_pointer(owned) {}
    ~Com() { reset(); }
    Com(Com&& other) noexcept : m_pointer(std::exchange(other.m_pointer, nullptr)) {}
    Com& operator=(Com&& other) noexcept
    {
        std::swap(m_pointer, other.m_pointer);
        return *this;
    }

    T* get() const { return m_pointer; }
    T* operator->() const { return m_pointer; }
    explicit operator bool() const { return m_pointer != nullptr; }
    // For functions that return an object.
    void** out()
    {
        reset();
        return reinterpret_cast<void**>(&m_pointer);
    }
    template <typename Other>
    Com<Other> as(const char* what) const
    {
        Com<Other> other;
        check(m_pointer->QueryInterface(idOf<Other>(), other.out()), what);
        return other;
    }

private:
    void reset()
    {
        if (m_pointer)
            m_pointer->Release();
        m_pointer = nullptr;
    }
    T* m_pointer = nullptr;
};

// A name as D3D12 has them: 16-bit characters.
class WideName {
public:
    explicit WideName(const std::string& name) : m_characters(name.begin(), name.end()) { m_characters.push_back(0); }
    const WCHAR* get() const { return m_characters.data(); }

private:
    std::vector<WCHAR> m_characters;
};

// The peer's library, which stays loaded.
class D3d12Library {
public:
    // Throws PeerError if it cannot be loaded or lacks a function.
    explicit D3d12Library(const std::string& file);

    Com<ID3D12Device5> createDevice() const;
    Com<ID3D12RootSignature> createRootSignature(ID3D12Device5& device, const D3D12_ROOT_SIGNATURE_DESC& desc) const;

private:
    void* find(const char* name) const;

    void* m_library = nullptr;
    PFN_D3D12_CREATE_DEVICE m_createDevice = nullptr;
    PFN_D3D12_SERIALIZE_ROOT_SIGNATURE m_serialize = nullptr;
};

enum class Heap { Default, Upload, Readback };

// A device with a queue and one command list.
class D3d12Device {
public:
    // The first device whose name contains `device`.
    D3d12Device(const std::string& library, const std::string& device);

    ID3D12Device5& get() const { return *m_device.get(); }
    const D3d12Library& library() const { return m_library; }
    std::string name() const;

    Com<ID3D12Resource> createBuffer(uint64_t bytes, Heap heap) const;
    // In the device's own memory; zero behind `words`.
    Com<ID3D12Resource> createFilled(const void* from, uint64_t fromBytes, uint64_t bytes);
    Com<ID3D12Resource> createImage(uint32_t width, uint32_t height) const;

    // Records, submits and waits.
    void submit(const std::function<void(ID3D12GraphicsCommandList10&)>& record);
    ID3D12CommandQueue& queue() const { return *m_queue.get(); }

private:
    void requireWorkGraphs() const;

    D3d12Library m_library;
    Com<ID3D12Device5> m_device;
    Com<ID3D12CommandQueue> m_queue;
    Com<ID3D12CommandAllocator> m_allocator;
    Com<ID3D12GraphicsCommandList10> m_list;
    Com<ID3D12Fence> m_fence;
    uint64_t m_submissions = 0;
};

// Of a resource of one subresource.
void transition(ID3D12GraphicsCommandList10& list, ID3D12Resource* resource, D3D12_RESOURCE_STATES from,
                D3D12_RESOURCE_STATES to);

}  // namespace millrace::bench::peer
