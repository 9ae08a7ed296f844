// SPDX-License-Identifier: Apache-2.0
// Finds what the layer knows of a Vulkan handle.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

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

// A handle for an object of ours: its address, which no object of the driver can have as well.
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
        Shard& shard = shardOf(id);
        std::unique_lock lock(shard.mutex);
        shard.values[id].swap(value);  // an object of before goes without the lock: it may lead to whatever
    }

    // For handles that the application may fetch more than once: keeps the first object.
    void insertOnce(uint64_t id, std::shared_ptr<Value> value)
    {
        Shard& shard = shardOf(id);
        std::unique_lock lock(shard.mutex);
        shard.values.emplace(id, std::move(value));
    }

    Value* find(uint64_t id) const
    {
        const Shard& shard = shardOf(id);
        std::shared_lock lock(shard.mutex);
        auto found = shard.values.find(id);
        return found == shard.values.end() ? nullptr : found->second.get();
    }

    std::shared_ptr<Value> share(uint64_t id) const
    {
        const Shard& shard = shardOf(id);
        std::shared_lock lock(shard.mutex);
        auto found = shard.values.find(id);
        return found == shard.values.end() ? nullptr : found->second;
    }

    std::shared_ptr<Value> remove(uint64_t id)
    {
        Shard& shard = shardOf(id);
        std::unique_lock lock(shard.mutex);
        auto found = shard.values.find(id);
        if (found == shard.values.end())
            return nullptr;
        std::shared_ptr<Value> value = std::move(found->second);
        shard.values.erase(found);
        return value;
    }

    // Both without a lock while anything of the values is called, which may lead to whatever.
    void clear()
    {
        for (Shard& shard : m_shards) {
            std::unordered_map<uint64_t, std::shared_ptr<Value>> values;
            std::unique_lock lock(shard.mutex);
            values.swap(shard.values);
            lock.unlock();
        }
    }

    template <typename Visit>
    void forEach(const Visit& visit)
    {
        std::vector<std::shared_ptr<Value>> all;
        for (Shard& shard : m_shards) {
            std::shared_lock lock(shard.mutex);
            for (auto& [id, value] : shard.values)
                all.push_back(value);
        }
        for (const std::shared_ptr<Value>& value : all)
            visit(*value);
    }

private:
    // Command buffers are looked up once per command from many threads; one lock would be contended.
    struct Shard {
        mutable std::shared_mutex mutex;
        std::unordered_map<uint64_t, std::shared_ptr<Value>> values;
    };

    const Shard& shardOf(uint64_t id) const { return m_shards[(id >> 4 ^ id >> 10) % m_shards.size()]; }
    Shard& shardOf(uint64_t id) { return m_shards[(id >> 4 ^ id >> 10) % m_shards.size()]; }

    std::array<Shard, 16> m_shards;
};

}  // namespace millrace::layer
