// SPDX-License-Identifier: Apache-2.0
#include "dxil/program.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

Diagnostic fail(const std::string& message)
{
    return {"dxil", "metadata", message};
}

// The global that a resource's symbol stands for, through casts.
const Global* globalOf(const Metadata* symbol)
{
    const Value* value = symbol->value;
    while (value && value->kind == Value::Kind::Instruction && !value->operands.empty())
        value = value->operands[0];
    return value && value->kind == Value::Kind::Global ? value->global : nullptr;
}

uint32_t number32(const Metadata* node, uint32_t fallback = 0)
{
    return static_cast<uint32_t>(node->numberOr(fallback));
}

// Tags and values of a list, such as {tag, value, tag, value}.
template <typename Visit>
void forEachTag(const Metadata* list, const Visit& visit)
{
    for (size_t o = 0; o + 1 < list->operands.size(); o += 2)
        visit(list->at(o)->numberOr(~uint64_t{0}), list->at(o + 1));
}

void readExtra(const Metadata* list, Resource& out)
{
    forEachTag(list, [&](uint64_t tag, const Metadata* value) {
        if (tag == 0)
            out.component = static_cast<ComponentType>(std::min<uint64_t>(value->numberOr(0), 18));
        else if (tag == 1)
            out.strideBytes = number32(value);
    });
}

Status readResource(const Metadata* node, ResourceClass resourceClass, ProgramInfo& out)
{
    if (node->operands.size() < 8)
        return fail("a resource has too few fields");
    Resource resource;
    resource.resourceClass = resourceClass;
    resource.id = number32(node->at(0));
    resource.global = globalOf(node->at(1));
    resource.name = node->at(2)->string;
    resource.space = number32(node->at(3));
    resource.lowerBound = number32(node->at(4));
    resource.count = number32(node->at(5), 1);
    const uint32_t kind = number32(node->at(6));
    switch (resourceClass) {
        case ResourceClass::Srv:
            resource.kind = static_cast<ResourceKind>(kind);
            readExtra(node->at(8), resource);
            break;
        case ResourceClass::Uav:
            resource.kind = static_cast<ResourceKind>(kind);
            resource.coherent = node->at(7)->numberOr(0) != 0;
            resource.hasCounter = node->at(8)->numberOr(0) != 0;
            resource.rasterOrdered = node->at(9)->numberOr(0) != 0;
            readExtra(node->at(10), resource);
            break;
        case ResourceClass::Cbv:
            resource.kind = ResourceKind::CBuffer;
            resource.sizeBytes = kind;
            break;
        case ResourceClass::Sampler:
            resource.kind = ResourceKind::Sampler;
            break;
    }
    if (resource.kind > ResourceKind::FeedbackTexture2DArray)
        return fail("resource \"" + resource.name + "\" is of unknown kind " + std::to_string(kind));
    out.resources.push_back(std::move(resource));
    return {};
}

Status readResources(const Module& module, ProgramInfo& out)
{
    const Metadata* lists = module.named("dx.resources");
    for (uint32_t c = 0; lists && c < 4; ++c) {
        for (const Metadata* node : lists->at(c)->operands)
            if (Status status = readResource(node, static_cast<ResourceClass>(c), out); !status)
                return status;
    }
    return {};
}

NodeId readNodeId(const Metadata* node)
{
    return {node->at(0)->string, number32(node->at(1))};
}

std::array<uint32_t, 3> readThree(const Metadata* node)
{
    return {number32(node->at(0), 1), number32(node->at(1), 1), number32(node->at(2), 1)};
}

void readRecordType(const Metadata* list, NodeIo& out)
{
    forEachTag(list, [&](uint64_t tag, const Metadata* value) {
        if (tag == 0) {
            out.recordBytes = number32(value);
        } else if (tag == 1) {
            GridMember grid;
            grid.offsetBytes = number32(value->at(0));
            grid.componentBytes = static_cast<ComponentType>(number32(value->at(1))) == ComponentType::U16 ? 2 : 4;
            grid.components = std::clamp(number32(value->at(2)), 1u, 3u);
            out.grid = grid;
        } else if (tag == 2) {
            out.alignmentBytes = number32(value);
        }
    });
}

NodeIo readNodeIo(const Metadata* list)
{
    NodeIo out;
    forEachTag(list, [&](uint64_t tag, const Metadata* value) {
        switch (tag) {
            case 0:
                out.id = readNodeId(value);
                break;
            case 1:
                out.flags = number32(value);
                break;
            case 2:
                readRecordType(value, out);
                break;
            case 3:
                out.maxRecords = number32(value);
                break;
            case 4:
                out.sharesBudgetWith = number32(value);
                break;
            case 5:
                out.arraySize = number32(value);
                break;
            case 6:
                out.sparse = value->numberOr(0) != 0;
                break;
            default:
                break;
        }
    });
    return out;
}

SignatureElement readSignatureElement(const Metadata* node)
{
    SignatureElement out;
    out.id = number32(node->at(0));
    out.name = node->at(1)->string;
    out.component = static_cast<ComponentType>(std::min<uint64_t>(node->at(2)->numberOr(0), 18));
    out.kind = static_cast<SemanticKind>(std::min<uint64_t>(node->at(3)->numberOr(0), 255));
    out.index = number32(node->at(4)->at(0));
    out.interpolation = number32(node->at(5));
    out.rows = std::clamp(number32(node->at(6), 1), 1u, 64u);
    out.columns = std::clamp(number32(node->at(7), 1), 1u, 4u);
    out.startRow = number32(node->at(8), kUnbounded);
    out.startColumn = number32(node->at(9)) & 3;
    return out;
}

// Inputs, outputs, and what a mesh shader says of primitives.
void readSignatures(const Metadata* lists, EntryPoint& out)
{
    for (const Metadata* element : lists->at(0)->operands)
        out.inputs.push_back(readSignatureElement(element));
    for (const Metadata* element : lists->at(1)->operands)
        out.outputs.push_back(readSignatureElement(element));
    for (const Metadata* element : lists->at(2)->operands)
        out.primitives.push_back(readSignatureElement(element));
}

void readMeshState(const Metadata* value, EntryPoint& out)
{
    constexpr uint64_t kLines = 1;
    out.threads = readThree(value->at(0));
    out.mesh.maxVertices = number32(value->at(1));
    out.mesh.maxPrimitives = number32(value->at(2));
    out.mesh.verticesPerPrimitive = value->at(3)->numberOr(0) == kLines ? 2 : 3;
}

void readProperty(uint64_t tag, const Metadata* value, EntryPoint& out)
{
    switch (tag) {
        case 4:
            out.threads = readThree(value);
            break;
        case 8:
            out.kind = static_cast<ShaderKind>(std::min<uint64_t>(value->numberOr(0), 15));
            break;
        case 9:
            readMeshState(value, out);
            break;
        case 10:
            out.threads = readThree(value->at(0));
            break;
        case 11:
        case 23:
            for (const Metadata* size : value->operands)
                out.waveSizes.push_back(number32(size));
            break;
        case 13:
            out.node.launch = static_cast<LaunchType>(std::min<uint64_t>(value->numberOr(0), 4));
            break;
        case 14:
            out.node.isProgramEntry = value->numberOr(0) != 0;
            break;
        case 15:
            out.node.id = readNodeId(value);
            break;
        case 16:
            out.node.localArgumentsIndex = static_cast<int32_t>(number32(value, ~0u));
            break;
        case 17:
            out.node.sharesInputOf = readNodeId(value);
            break;
        case 18:
            out.node.grid = readThree(value);
            break;
        case 19:
            out.node.maxRecursion = number32(value);
            break;
        case 20:
        case 21:
            for (const Metadata* io : value->operands)
                (tag == 20 ? out.node.inputs : out.node.outputs).push_back(readNodeIo(io));
            break;
        case 22:
            out.node.maxGrid = readThree(value);
            break;
        default:
            break;
    }
}

Status checkNode(const EntryPoint& entry)
{
    if (entry.node.inputs.size() > 1)
        return fail("node \"" + entry.name + "\" has several inputs");
    for (const NodeIo& output : entry.node.outputs)
        if (output.sharesBudgetWith && *output.sharesBudgetWith >= entry.node.outputs.size())
            return fail("an output of node \"" + entry.name + "\" shares the budget of one that is not there");
    return {};
}

Status readEntryPoint(const Metadata* node, const Container& container, ProgramInfo& out)
{
    EntryPoint entry;
    entry.kind = container.kind;
    entry.name = node->at(1)->string;
    entry.node.id.name = entry.name;  // unless the program says otherwise
    forEachTag(node->at(4), [&](uint64_t tag, const Metadata* value) {
        if (tag == 0)
            out.flags |= value->numberOr(0);
        readProperty(tag, value, entry);
    });
    readSignatures(node->at(2), entry);
    const Value* symbol = node->at(0)->value;
    if (!symbol || symbol->kind != Value::Kind::Function) {
        // The first entry of a library stands for the library.
        return container.kind == ShaderKind::Library ? Status() : fail("an entry point has no function");
    }
    entry.function = symbol->function;
    if (entry.function->blocks.empty())
        return fail("entry point \"" + entry.name + "\" has no body");
    for (const uint32_t size : entry.threads)
        if (size == 0 || size > 1024)
            return fail("entry point \"" + entry.name + "\" has a group size of " + std::to_string(size));
    if (Status status = checkNode(entry); !status)
        return status;
    if (entry.mesh.maxVertices > 256 || entry.mesh.maxPrimitives > 256)
        return fail("entry point \"" + entry.name + "\" has more than 256 vertices or primitives");
    if (container.kind != ShaderKind::Library)
        entry.kind = container.kind;
    else if (entry.node.launch != LaunchType::None)
        entry.kind = ShaderKind::Node;
    out.entryPoints.push_back(std::move(entry));
    return {};
}

}  // namespace

Resource decodeProperties(uint32_t low, uint32_t high)
{
    Resource out;
    out.kind = static_cast<ResourceKind>(std::min(low & 0xffu, 18u));
    const bool isUav = (low >> 12 & 1) != 0;
    out.resourceClass = out.kind == ResourceKind::CBuffer   ? ResourceClass::Cbv
                        : out.kind == ResourceKind::Sampler ? ResourceClass::Sampler
                        : isUav                             ? ResourceClass::Uav
                                                            : ResourceClass::Srv;
    out.rasterOrdered = (low >> 13 & 1) != 0;
    out.coherent = (low >> 14 & 1) != 0;
    out.hasCounter = isUav && (low >> 15 & 1) != 0;
    if (out.kind == ResourceKind::StructuredBuffer)
        out.strideBytes = high;
    else if (out.kind == ResourceKind::CBuffer)
        out.sizeBytes = high;
    else
        out.component = static_cast<ComponentType>(std::min(high & 0xffu, 18u));
    return out;
}

const char* resourceClassText(ResourceClass resourceClass)
{
    static constexpr std::array kTexts = {"t", "u", "b", "s"};
    return kTexts[static_cast<size_t>(resourceClass)];
}

std::string describe(const Resource& resource)
{
    return resourceClassText(resource.resourceClass) + std::to_string(resource.lowerBound) + ", space" +
           std::to_string(resource.space) + (resource.name.empty() ? "" : " (" + resource.name + ")");
}

Result<ProgramInfo> readProgramInfo(const Container& container, const Module& module)
{
    ProgramInfo out;
    if (Status status = readResources(module, out); !status)
        return status.error();
    const auto found = module.metadata.find("dx.entryPoints");
    if (found == module.metadata.end())
        return fail("the program has no dx.entryPoints");
    for (const Metadata* node : found->second)
        if (Status status = readEntryPoint(node, container, out); !status)
            return status.error();
    return out;
}

}  // namespace millrace::dxil
