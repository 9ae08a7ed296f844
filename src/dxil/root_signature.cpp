// SPDX-License-Identifier: Apache-2.0
#include "dxil/root_signature.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

constexpr uint32_t kMaxEntries = 4096;
constexpr uint32_t kAddressBytes = 8;

Diagnostic fail(const std::string& message)
{
    return {"dxil", "root signature", message};
}

// Numbers one after the other; stays at 0 once they end.
class Reader {
public:
    Reader(Bytes bytes, uint64_t at) : m_bytes(bytes), m_at(at) {}
    uint32_t next()
    {
        const auto found = numberAt<uint32_t>(m_bytes, m_at);
        m_failed = m_failed || !found;
        m_at += 4;
        return found.value_or(0);
    }
    bool failed() const { return m_failed; }

private:
    Bytes m_bytes;
    uint64_t m_at;
    bool m_failed = false;
};

// D3D12_DESCRIPTOR_RANGE_TYPE: SRV, UAV, CBV, sampler.
Status readRanges(Bytes part, uint32_t version, uint32_t count, uint32_t offset, RootParameter& out)
{
    if (count > kMaxEntries)
        return fail("a table of too many ranges");
    Reader reader(part, offset);
    for (uint32_t r = 0; r < count; ++r) {
        DescriptorRange range;
        const uint32_t type = reader.next();
        range.count = reader.next();
        range.firstRegister = reader.next();
        range.space = reader.next();
        if (version > 1)
            reader.next();  // flags
        range.tableOffset = reader.next();
        if (reader.failed() || type > 3 || range.count == 0)
            return fail("range " + std::to_string(r) + " is malformed");
        range.resourceClass = static_cast<ResourceClass>(type);
        out.ranges.push_back(range);
    }
    return {};
}

Status readParameter(Bytes part, uint32_t version, Reader& list, RootParameter& out)
{
    const uint32_t type = list.next();
    list.next();  // visibility
    Reader reader(part, list.next());
    if (list.failed() || type > 4)
        return fail("a parameter is malformed");
    out.kind = static_cast<RootParameter::Kind>(type);
    const uint32_t first = reader.next();
    const uint32_t second = reader.next();
    if (out.kind == RootParameter::Kind::Table) {
        if (reader.failed())
            return fail("a table lies outside of the part");
        return readRanges(part, version, first, second, out);
    }
    out.shaderRegister = first;
    out.space = second;
    if (out.kind == RootParameter::Kind::Constants)
        out.constants = reader.next();
    return reader.failed() || out.constants > kMaxEntries ? fail("a parameter lies outside of the part") : Status();
}

Place descriptorPlace(uint32_t set, uint32_t binding)
{
    Place out;
    out.set = set;
    out.binding = binding;
    out.counterBinding = kUnbounded;
    return out;
}

void addTable(const RootParameter& table, uint32_t set, Bindings& out)
{
    for (uint32_t r = 0; r < table.ranges.size(); ++r) {
        const DescriptorRange& range = table.ranges[r];
        BindingOverride entry;
        entry.resourceClass = range.resourceClass;
        entry.space = range.space;
        entry.firstRegister = range.firstRegister;
        entry.count = range.count;
        entry.isArray = true;
        entry.place = descriptorPlace(set, r);
        // Counters of UAVs, which D3D12 keeps in the descriptor, have bindings behind those of the table.
        entry.place.counterBinding = static_cast<uint32_t>(table.ranges.size()) + r;
        out.overrides.push_back(entry);
    }
}

ResourceClass classOf(RootParameter::Kind kind)
{
    return kind == RootParameter::Kind::Srv   ? ResourceClass::Srv
           : kind == RootParameter::Kind::Uav ? ResourceClass::Uav
                                              : ResourceClass::Cbv;
}

// Constants, or the address of a buffer.
Place& addArgument(const RootParameter& parameter, uint32_t offsetBytes, Bindings& out)
{
    const bool isConstants = parameter.kind == RootParameter::Kind::Constants;
    BindingOverride entry;
    entry.resourceClass = classOf(parameter.kind);
    entry.space = parameter.space;
    entry.firstRegister = parameter.shaderRegister;
    entry.place.kind = isConstants ? Place::Kind::Constants : Place::Kind::Address;
    entry.place.offsetBytes = offsetBytes;
    entry.place.sizeBytes = isConstants ? parameter.constants * 4 : 0;
    return out.overrides.emplace_back(entry).place;
}

void addHeapTable(const RootParameter& table, uint32_t offsetBytes, Bindings& out)
{
    uint32_t next = 0;
    for (const DescriptorRange& range : table.ranges) {
        BindingOverride entry;
        entry.resourceClass = range.resourceClass;
        entry.space = range.space;
        entry.firstRegister = range.firstRegister;
        entry.count = range.count;
        entry.isArray = true;
        entry.place.kind = Place::Kind::HeapTable;
        entry.place.isLocal = true;
        entry.place.offsetBytes = offsetBytes;
        entry.place.heapOffset = range.tableOffset == kAppended ? next : range.tableOffset;
        next = entry.place.heapOffset + range.count;
        out.overrides.push_back(entry);
    }
}

void addStaticSamplers(const RootSignature& signature, uint32_t set, uint32_t first, Bindings& out)
{
    for (const StaticSampler& sampler : signature.staticSamplers) {
        BindingOverride entry;
        entry.resourceClass = ResourceClass::Sampler;
        entry.space = sampler.space;
        entry.firstRegister = sampler.shaderRegister;
        entry.place = descriptorPlace(set, first++);
        out.overrides.push_back(entry);
    }
}

uint32_t alignAddress(uint32_t bytes)
{
    return (bytes + kAddressBytes - 1) / kAddressBytes * kAddressBytes;
}

}  // namespace

Result<RootSignature> readRootSignature(Bytes part)
{
    Reader header(part, 0);
    const uint32_t version = header.next();
    const uint32_t parameterCount = header.next();
    Reader parameters(part, header.next());
    const uint32_t samplerCount = header.next();
    Reader samplers(part, header.next());
    if (header.failed() || version == 0 || version > 3)
        return fail("of unknown version " + std::to_string(version));
    if (parameterCount > kMaxEntries || samplerCount > kMaxEntries)
        return fail("too many parameters or static samplers");
    RootSignature out;
    for (uint32_t p = 0; p < parameterCount; ++p)
        if (Status status = readParameter(part, version, parameters, out.parameters.emplace_back()); !status)
            return status.error();
    for (uint32_t s = 0; s < samplerCount; ++s) {
        for (int field = 0; field < 10; ++field)
            samplers.next();
        StaticSampler sampler;
        sampler.shaderRegister = samplers.next();
        sampler.space = samplers.next();
        samplers.next();
        if (version == 3)
            samplers.next();
        if (samplers.failed())
            return fail("the static samplers lie outside of the part");
        out.staticSamplers.push_back(sampler);
    }
    return out;
}

void addRootSignature(const RootSignature& signature, Bindings& out)
{
    uint32_t sets = 0;
    uint32_t bytes = 0;
    for (const RootParameter& parameter : signature.parameters)
        if (parameter.kind == RootParameter::Kind::Table)
            addTable(parameter, sets++, out);
        else if (parameter.kind == RootParameter::Kind::Constants)
            bytes = addArgument(parameter, bytes, out).offsetBytes + parameter.constants * 4;
    bytes = alignAddress(bytes);
    for (const RootParameter& parameter : signature.parameters)
        if (parameter.kind != RootParameter::Kind::Table && parameter.kind != RootParameter::Kind::Constants)
            bytes = addArgument(parameter, bytes, out).offsetBytes + kAddressBytes;
    addStaticSamplers(signature, sets, 0, out);
    out.pushConstantBytes = std::max(out.pushConstantBytes, bytes);
}

uint32_t addLocalRootSignature(const RootSignature& signature, uint32_t firstSampler, Bindings& out)
{
    uint32_t bytes = 0;
    for (const RootParameter& parameter : signature.parameters) {
        if (parameter.kind == RootParameter::Kind::Constants) {
            addArgument(parameter, bytes, out).isLocal = true;
            bytes += parameter.constants * 4;
            continue;
        }
        bytes = alignAddress(bytes);
        if (parameter.kind == RootParameter::Kind::Table)
            addHeapTable(parameter, bytes, out);
        else
            addArgument(parameter, bytes, out).isLocal = true;
        bytes += kAddressBytes;
    }
    addStaticSamplers(signature, out.localSamplerSet, firstSampler, out);
    return bytes;
}

}  // namespace millrace::dxil
