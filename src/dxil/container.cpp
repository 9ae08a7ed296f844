// SPDX-License-Identifier: Apache-2.0
#include "dxil/container.h"

#include <array>

namespace millrace::dxil {

namespace {

constexpr uint32_t kMagic = 0x43425844;         // "DXBC"
constexpr uint32_t kProgramMagic = 0x4c495844;  // "DXIL"
constexpr uint64_t kHeaderBytes = 32;
constexpr uint64_t kProgramHeaderBytes = 24;
constexpr uint32_t kMaxParts = 1024;

Diagnostic fail(const std::string& message, const std::string& where = "container")
{
    return {"dxil", where, message};
}

// The part "DXIL": kind and version, size in words, then the header of the bitcode.
Status readProgram(Bytes part, Container& out)
{
    const auto version = numberAt<uint32_t>(part, 0);
    const auto magic = numberAt<uint32_t>(part, 8);
    const auto offset = numberAt<uint32_t>(part, 16);
    const auto size = numberAt<uint32_t>(part, 20);
    if (!version || !magic || !offset || !size || part.size() < kProgramHeaderBytes)
        return fail("the program's header is cut off", "part DXIL");
    if (*magic != kProgramMagic)
        return fail("the program does not begin with \"DXIL\"", "part DXIL");
    const uint32_t kind = *version >> 16;
    if (kind > static_cast<uint32_t>(ShaderKind::Node))
        return fail("unknown kind of shader " + std::to_string(kind), "part DXIL");
    // The offset counts from the second magic number.
    const auto bitcode = slice(part, uint64_t{8} + *offset, *size);
    if (!bitcode)
        return fail("the bitcode lies outside of its part", "part DXIL");
    out.kind = static_cast<ShaderKind>(kind);
    out.major = *version >> 4 & 0xf;
    out.minor = *version & 0xf;
    out.bitcode = *bitcode;
    return {};
}

Status readParts(Bytes bytes, uint32_t count, std::vector<Part>& out)
{
    for (uint32_t p = 0; p < count; ++p) {
        const auto offset = numberAt<uint32_t>(bytes, kHeaderBytes + uint64_t{4} * p);
        const auto size = offset ? numberAt<uint32_t>(bytes, uint64_t{*offset} + 4) : std::nullopt;
        const auto name = offset ? slice(bytes, *offset, 4) : std::nullopt;
        const auto content = size ? slice(bytes, uint64_t{*offset} + 8, *size) : std::nullopt;
        if (!content || !name)
            return fail("part " + std::to_string(p) + " lies outside of the file");
        out.push_back({std::string(name->begin(), name->end()), *content});
    }
    return {};
}

}  // namespace

const char* shaderKindText(ShaderKind kind)
{
    static constexpr std::array kTexts = {
        "pixel",        "vertex",  "geometry",    "hull", "domain",   "compute", "library",       "ray generation",
        "intersection", "any hit", "closest hit", "miss", "callable", "mesh",    "amplification", "node"};
    return kTexts[static_cast<size_t>(kind)];
}

const Part* Container::findPart(std::string_view name) const
{
    for (const Part& part : parts)
        if (part.name == name)
            return &part;
    return nullptr;
}

Result<std::vector<Part>> readParts(Bytes bytes)
{
    if (numberAt<uint32_t>(bytes, 0) != kMagic)
        return fail("not a DXIL container: it does not begin with \"DXBC\"");
    const auto count = numberAt<uint32_t>(bytes, 28);
    if (!count || *count > kMaxParts)
        return fail("the container's header is cut off or names too many parts");
    std::vector<Part> out;
    if (Status status = readParts(bytes, *count, out); !status)
        return status.error();
    return out;
}

Result<Container> readContainer(Bytes bytes)
{
    auto parts = readParts(bytes);
    if (!parts)
        return parts.error();
    Container out;
    out.parts = std::move(*parts);
    const Part* program = out.findPart("DXIL");
    if (!program) {
        const bool old = out.findPart("SHEX") || out.findPart("SHDR");
        return fail(old ? "bytecode of shader model 5 or older, not DXIL" : "the container has no part \"DXIL\"");
    }
    if (Status status = readProgram(program->bytes, out); !status)
        return status.error();
    return out;
}

}  // namespace millrace::dxil
