// SPDX-License-Identifier: Apache-2.0
#include "dxil/registers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace millrace::dxil {

namespace {

// What metadata says of a register or space that the program does not name.
constexpr uint32_t kUnassigned = ~0u;

// Exclusive; of an unbounded array that of the last register there is.
uint64_t endOf(const Resource& resource)
{
    return resource.count == kUnbounded ? uint64_t{1} << 32 : uint64_t{resource.lowerBound} + resource.count;
}

// The registers of one class and space that are taken: first to end, exclusive.
class Registers {
public:
    void take(const Resource& resource)
    {
        uint64_t& end = m_taken[resource.lowerBound];
        end = std::max(end, endOf(resource));
    }

    std::optional<uint32_t> findFree(uint32_t count) const
    {
        uint64_t next = 0;
        for (const auto& [first, end] : m_taken) {
            if (count != kUnbounded && next + count <= first)
                break;
            next = std::max(next, end);
        }
        // The last number means that there is no register.
        const bool fits = count == kUnbounded ? next < kUnassigned : next + count <= kUnassigned;
        return fits ? std::optional(static_cast<uint32_t>(next)) : std::nullopt;
    }

private:
    std::map<uint64_t, uint64_t> m_taken;
};

class Assignment {
public:
    void reserve(const Resource& resource) { m_registers[keyOf(resource)].take(resource); }

    Status assign(Resource& resource)
    {
        if (resource.space == kUnassigned)
            resource.space = 0;
        const std::string symbol = resource.global ? resource.global->name : "";
        const auto known = symbol.empty() ? m_assigned.end() : m_assigned.find({resource.resourceClass, symbol});
        if (known != m_assigned.end())
            return share(known->second, resource);
        Registers& registers = m_registers[keyOf(resource)];
        const auto found = registers.findFree(resource.count);
        if (!found) {
            return fail(resource, "it has no register, and in space " + std::to_string(resource.space) +
                                      " there is no room for it");
        }
        resource.lowerBound = *found;
        registers.take(resource);
        if (!symbol.empty())
            m_assigned.emplace(std::pair(resource.resourceClass, symbol), resource);
        return {};
    }

private:
    using Key = std::pair<ResourceClass, uint32_t>;  // and space

    static Key keyOf(const Resource& resource) { return {resource.resourceClass, resource.space}; }

    static Diagnostic fail(const Resource& resource, const std::string& why)
    {
        return {"dxil", "resource \"" + resource.name + "\"", why};
    }

    static Status share(const Resource& known, Resource& resource)
    {
        if (known.kind != resource.kind || known.count != resource.count || known.space != resource.space)
            return fail(resource, "it has no register, and another library has a different resource of this name");
        resource.lowerBound = known.lowerBound;
        return {};
    }

    std::map<Key, Registers> m_registers;
    std::map<std::pair<ResourceClass, std::string>, Resource> m_assigned;
};

}  // namespace

Status assignRegisters(std::span<std::vector<Resource>* const> libraries)
{
    Assignment assignment;
    std::vector<Resource*> open;
    for (std::vector<Resource>* resources : libraries) {
        for (Resource& resource : *resources)
            if (resource.lowerBound == kUnassigned)
                open.push_back(&resource);
            else
                assignment.reserve(resource);
    }
    std::ranges::stable_partition(open, [](const Resource* resource) { return resource->count != kUnbounded; });
    for (Resource* resource : open)
        if (Status status = assignment.assign(*resource); !status)
            return status;
    return {};
}

}  // namespace millrace::dxil
