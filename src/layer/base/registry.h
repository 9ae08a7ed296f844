// SPDX-License-Identifier: Apache-2.0
// Finds what the layer knows of a Vulkan handle.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/base/guard.h"
#include "layer/base/handle_index.h"

namespace millrace::layer {

// The same number for a handle wherever it comes from; non-dispatchable handles are integers on 32-bit systems.
template <typename Handle>
uint64_t handleId(Handle handle)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<uintptr_t>(handle);
    else
        return handle;
}

// A handle for an object of ours: its address. A driver whose handles are addresses as well cannot have an object
// there, and one that counts its objects has too few to come as far.
template <typename Handle>
Handle handleOf(const void* object)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(const_cast<void*>(object));
    else
        return static_cast<Handle>(reinterpret_cast<uintptr_t>(object));
}

// The loader's dispatch pointer, the first word of every dispatchable handle: equal for an instance and its physical
// devices, and for a device, its queues and command buffers.
template <typename Handle>
void* dispatchKey(Handle handle)
{
    return *reinterpret_cast<void**>(handle);
}

// Thread-safe map from handles to objects. A pointer from find() stays valid as long as the application's own duty to
// not destroy an object in use keeps the handle alive.
template <typename Value>
class Registry {
public:
    void insert(uint64_t id, std::shared_ptr<Value> value)
    {
        std::unique_lock lock(m_mutex);
        std::shared_ptr<Value>& own = m_values[id];
        index(id, own, value.get());
        own.swap(value);
        lock.unlock();  // an object of before goes without the lock: it may lead to whatever
    }

    // For handles that the application may fetch more than once: keeps the first object.
    void insertOnce(uint64_t id, std::shared_ptr<Value> value)
    {
        std::unique_lock lock(m_mutex);
        std::shared_ptr<Value>& own = m_values[id];
        if (own)
            return;
        index(id, own, value.get());
        own = std::move(value);
    }

    Value* find(uint64_t id) const noexcept { return static_cast<Value*>(m_index.find(id)); }
    // The same. Requires: a handle that a driver has given.
    Value* findValid(uint64_t id) const noexcept { return static_cast<Value*>(m_index.findValid(id)); }

    std::shared_ptr<Value> share(uint64_t id) const
    {
        std::shared_lock lock(m_mutex);
        auto found = m_values.find(id);
        return found == m_values.end() ? nullptr : found->second;
    }

    std::shared_ptr<Value> remove(uint64_t id)
    {
        std::unique_lock lock(m_mutex);
        auto found = m_values.find(id);
        if (found == m_values.end())
            return nullptr;
        m_index.remove(id);
        std::shared_ptr<Value> value = std::move(found->second);
        m_values.erase(found);
        return value;
    }

    // Both without a lock while anything of the values is called, which may lead to whatever.
    void clear()
    {
        std::unordered_map<uint64_t, std::shared_ptr<Value>> values;
        std::unique_lock lock(m_mutex);
        m_index.clear();
        values.swap(m_values);
        lock.unlock();
    }

    template <typename Visit>
    void forEach(const Visit& visit)
    {
        std::vector<std::shared_ptr<Value>> all;
        {
            std::shared_lock lock(m_mutex);
            for (auto& [id, value] : m_values)
                all.push_back(value);
        }
        for (const std::shared_ptr<Value>& value : all)
            visit(*value);
    }

private:
    // An entry that is not in the index is in neither.
    void index(uint64_t id, const std::shared_ptr<Value>& own, Value* value)
    {
        rememberOrUndo(
            [&] {
                if (!own)
                    m_values.erase(id);
            },
            [&] { m_index.insert(id, value); });
    }

    mutable std::shared_mutex m_mutex;
    std::unordered_map<uint64_t, std::shared_ptr<Value>> m_values;
    HandleIndex m_index;
};

}  // namespace millrace::layer
