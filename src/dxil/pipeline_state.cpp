// SPDX-License-Identifier: Apache-2.0
#include "dxil/pipeline_state.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

// Bytes of the versions of what is said of the program, and of a resource.
constexpr uint32_t kFirstVersion = 24, kWithKind = 36, kWithThreads = 48, kWithName = 52, kWithShared = 56;
constexpr uint32_t kResourceBytes = 16, kSignatureElementBytes = 16;
constexpr uint32_t kMaxResources = 1u << 20;

Diagnostic fail(const std::string& what)
{
    return Diagnostic{"dxil", "part PSV0", what};
}

class Reader {
public:
    explicit Reader(Bytes bytes) : m_bytes(bytes) {}
    Result<PipelineState> read();

private:
    std::optional<uint32_t> number()
    {
        const auto out = numberAt<uint32_t>(m_bytes, m_at);
        m_at += 4;
        return out;
    }
    std::optional<Bytes> take(uint64_t size)
    {
        const auto out = slice(m_bytes, m_at, size);
        m_at += size;
        return out;
    }
    Status readProgram();
    Status readResources();
    Status readTables();

    const Bytes m_bytes;
    uint64_t m_at = 0;
    Bytes m_program;
    PipelineState m_out;
};

Status Reader::readProgram()
{
    const auto size = number();
    const auto program = size ? take(*size) : std::nullopt;
    if (!program || *size < kFirstVersion)
        return fail("it is cut off where it tells of the program");
    m_program = *program;
    m_out.minWaveLanes = *numberAt<uint32_t>(m_program, 16);
    m_out.maxWaveLanes = *numberAt<uint32_t>(m_program, 20);
    if (*size >= kWithKind) {
        if (m_program[24] > static_cast<uint32_t>(ShaderKind::Node))
            return fail("unknown kind of shader " + std::to_string(m_program[24]));
        m_out.kind = static_cast<ShaderKind>(m_program[24]);
        m_out.usesViewId = m_program[25] != 0;
        m_out.inputs = m_program[28];
        m_out.outputs = m_program[29];
        m_out.primitives = m_program[30];
    }
    if (*size >= kWithThreads) {
        m_out.threads = {*numberAt<uint32_t>(m_program, 36), *numberAt<uint32_t>(m_program, 40),
                         *numberAt<uint32_t>(m_program, 44)};
    }
    if (*size >= kWithShared)
        m_out.groupSharedBytes = numberAt<uint32_t>(m_program, 52);
    return {};
}

// The types: 1 samplers, 2 constant buffers, 3 to 5 what is read, 6 to 9 what is written.
Status Reader::readResources()
{
    const auto count = number();
    if (!count || *count > kMaxResources)
        return fail("it is cut off, or names too many resources");
    const auto size = *count > 0 ? number() : std::optional<uint32_t>(kResourceBytes);
    if (!size || *size < kResourceBytes)
        return fail("its resources are cut off");
    for (uint32_t r = 0; r < *count; ++r) {
        const auto row = take(*size);
        if (!row)
            return fail("resource " + std::to_string(r) + " lies outside of it");
        const uint32_t type = *numberAt<uint32_t>(*row, 0);
        if (type < 1 || type > 9)
            return fail("resource " + std::to_string(r) + " is of the unknown type " + std::to_string(type));
        m_out.resources.push_back({type == 1   ? ResourceClass::Sampler
                                   : type == 2 ? ResourceClass::Cbv
                                   : type <= 5 ? ResourceClass::Srv
                                               : ResourceClass::Uav,
                                   *numberAt<uint32_t>(*row, 4), *numberAt<uint32_t>(*row, 8),
                                   *numberAt<uint32_t>(*row, 12)});
    }
    return {};
}

// Strings, indices of semantics, elements of signatures.
Status Reader::readTables()
{
    const auto stringBytes = number();
    const auto strings = stringBytes ? take(*stringBytes) : std::nullopt;
    const auto indexCount = strings ? number() : std::nullopt;
    if (!indexCount || !take(uint64_t{4} * *indexCount))
        return fail("its strings or indices lie outside of it");
    const uint64_t elements = uint64_t{m_out.inputs} + m_out.outputs + m_out.primitives;
    if (elements > 0) {
        const auto size = number();
        if (!size || *size < kSignatureElementBytes || !take(elements * *size))
            return fail("its elements of signatures lie outside of it");
    }
    if (m_program.size() >= kWithName) {
        const uint32_t offset = *numberAt<uint32_t>(m_program, 48);
        const auto rest = slice(*strings, offset, strings->size() - std::min<uint64_t>(offset, strings->size()));
        const auto end = rest ? std::ranges::find(*rest, 0) : Bytes::iterator();
        if (!rest || end == rest->end())
            return fail("the name of the entry point lies outside of its strings");
        m_out.entry = std::string(rest->begin(), end);
    }
    return {};
}

Result<PipelineState> Reader::read()
{
    for (const auto step : {&Reader::readProgram, &Reader::readResources})
        if (Status status = (this->*step)(); !status)
            return status.error();
    if (m_program.size() >= kWithKind) {
        if (Status status = readTables(); !status)
            return status.error();
    }
    return std::move(m_out);
}

std::string text(const std::array<uint32_t, 3>& threads)
{
    return std::to_string(threads[0]) + " x " + std::to_string(threads[1]) + " x " + std::to_string(threads[2]);
}

std::string text(const PipelineResource& resource)
{
    return resourceClassText(resource.resourceClass) + std::to_string(resource.lowerBound) + " to " +
           (resource.upperBound == ~0u ? "any" : std::to_string(resource.upperBound)) + ", space" +
           std::to_string(resource.space);
}

std::vector<PipelineResource> resourcesOf(const ProgramInfo& info)
{
    std::vector<PipelineResource> out;
    for (const Resource& r : info.resources) {
        const bool isUnbounded = r.count == kUnbounded;
        out.push_back({r.resourceClass, r.space, r.lowerBound, isUnbounded ? ~0u : r.lowerBound + r.count - 1});
    }
    std::ranges::sort(out);
    return out;
}

// "it says A of X, the program B"
Diagnostic differ(const std::string& what, const std::string& here, const std::string& there)
{
    return fail("it says " + here + " of " + what + ", the program " + there);
}

std::string text(uint32_t minimum, uint32_t maximum)
{
    return minimum == 0 && maximum == ~0u ? "any" : std::to_string(minimum) + " to " + std::to_string(maximum);
}

Status checkEntry(const PipelineState& state, const EntryPoint& entry)
{
    const bool hasThreads =
        entry.kind == ShaderKind::Compute || entry.kind == ShaderKind::Mesh || entry.kind == ShaderKind::Amplification;
    if (hasThreads && state.threads && *state.threads != entry.threads)
        return differ("the size of a group", text(*state.threads), text(entry.threads));
    const auto& sizes = entry.waveSizes;
    const uint32_t minimum = sizes.empty() ? 0 : sizes[0];
    // A range without a maximum has 0 there.
    const uint32_t maximum = sizes.empty() ? ~0u : sizes.size() > 1 && sizes[1] != 0 ? sizes[1] : sizes[0];
    if (state.minWaveLanes != minimum || state.maxWaveLanes != maximum)
        return differ("the lanes of a wave", text(state.minWaveLanes, state.maxWaveLanes), text(minimum, maximum));
    if (state.entry && !entry.name.empty() && *state.entry != entry.name)
        return differ("the entry point", "\"" + *state.entry + "\"", "\"" + entry.name + "\"");
    return {};
}

}  // namespace

Result<PipelineState> readPipelineState(Bytes part)
{
    return Reader(part).read();
}

Status checkPipelineState(const PipelineState& state, const Container& container, const ProgramInfo& info)
{
    if (state.kind && *state.kind != container.kind)
        return differ("the kind of shader", shaderKindText(*state.kind), shaderKindText(container.kind));
    if (info.entryPoints.size() == 1) {
        if (Status status = checkEntry(state, info.entryPoints[0]); !status)
            return status;
    }
    std::vector<PipelineResource> here = state.resources;
    std::ranges::sort(here);
    const std::vector<PipelineResource> there = resourcesOf(info);
    const auto [a, b] = std::ranges::mismatch(here, there);
    if (a != here.end() && (b == there.end() || *a < *b))
        return fail("it names the resource " + text(*a) + ", which the program does not");
    if (b != there.end())
        return fail("it does not name the resource " + text(*b) + " of the program");
    return {};
}

}  // namespace millrace::dxil
