// SPDX-License-Identifier: Apache-2.0
#include "oracle/node.h"

#include <cstring>

namespace millrace::oracle {

namespace {

constexpr uint64_t kImplicitPayloadBytes = 12;  // three 32-bit numbers: the grid

}  // namespace

Node::Node(const NodeSource& source) : module(std::make_unique<Module>(source.words, source.specialization))
{
    const EntryPoint& entry = module->entryPoint(source.entry);
    isMesh = entry.model == spv::ExecutionModelMeshEXT;
    if (!isMesh && entry.model != spv::ExecutionModelGLCompute)
        throw UnsupportedError("nodes that are no compute or mesh shaders");
    if (!module->usesCapability(spv::CapabilityShaderEnqueueAMDX))
        throw RuleError("node without capability ShaderEnqueueAMDX");
    readModes(entry.function);
    readLocalSize(entry.function);
    name = source.name.value_or(source.entry);
    index = source.index.value_or(index);
    program = translate(*module, entry);
    readInput();
    readOutputs();
    if (isMesh)
        readMesh(entry.function);
}

void Node::readMesh(uint32_t function)
{
    if (coalescing)
        throw RuleError("a mesh node must not be a coalescing one");
    if (!program.outputTypes.empty())
        throw RuleError("a mesh node must not send payloads");
    if (maxPayloads != 1)
        throw RuleError("a mesh node takes one payload");
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeOutputVertices))
        maxVertices = mode->operands[0];
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeOutputPrimitivesEXT))
        maxPrimitives = mode->operands[0];
}

uint32_t Node::operand(const ExecutionMode& mode, size_t number) const
{
    return static_cast<uint32_t>(module->scalarConstant(mode.operands[number]));
}

void Node::readModes(uint32_t function)
{
    coalescing = module->mode(function, spv::ExecutionModeCoalescingAMDX) != nullptr;
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeIsApiEntryAMDX))
        isApiEntry = operand(*mode, 0) != 0;
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeMaxNodeRecursionAMDX))
        recursion = operand(*mode, 0);
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeShaderIndexAMDX))
        index = operand(*mode, 0);
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeStaticNumWorkgroupsAMDX))
        staticGrid = Grid{operand(*mode, 0), operand(*mode, 1), operand(*mode, 2)};
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeMaxNumWorkgroupsAMDX))
        maxGrid = Grid{operand(*mode, 0), operand(*mode, 1), operand(*mode, 2)};
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeSharesInputWithAMDX)) {
        shares = {module->string(mode->operands[0]), operand(*mode, 1)};
        isApiEntry = false;
    }
    if (int{coalescing} + int{staticGrid.has_value()} + int{maxGrid.has_value()} > 1)
        throw RuleError("CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX exclude each other");
}

void Node::readLocalSize(uint32_t function)
{
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeLocalSize))
        localSize = {mode->operands[0], mode->operands[1], mode->operands[2]};
    if (const ExecutionMode* mode = module->mode(function, spv::ExecutionModeLocalSizeId))
        localSize = {operand(*mode, 0), operand(*mode, 1), operand(*mode, 2)};
    if (const auto constant = module->workgroupSizeConstant())
        localSize = *constant;
}

void Node::readInput()
{
    const bool needsGrid = !coalescing && !staticGrid;
    if (program.inputVariable == 0) {
        payloadBytes = needsGrid ? kImplicitPayloadBytes : 0;
        if (needsGrid)
            gridMember = GridMember{0, 3, 4};
        return;
    }
    const ModuleVariable* variable = module->variable(program.inputVariable);
    uint32_t payload = module->type(variable->type).element;
    if (module->type(payload).kind == TypeKind::PayloadArray) {
        maxPayloads = module->decorationConstant(payload, spv::DecorationNodeMaxPayloadsAMDX).value_or(1);
        payload = module->type(payload).element;
    } else if (coalescing) {
        throw RuleError("coalescing node whose input is no payload array");
    }
    payloadBytes = sizeOf(*module, payload, Layout::Explicit);
    trackFinish = module->decoration(payload, spv::DecorationTrackFinishWritingAMDX) != nullptr;
    if (needsGrid) {
        gridMember = findGridMember(*module, payload);
        if (!gridMember)
            throw RuleError("input payload without a member for the grid");
    }
    if (maxPayloads == 0)
        throw RuleError("NodeMaxPayloadsAMDX of 0");
}

void Node::readOutputs()
{
    for (uint32_t type : program.outputTypes)
        if (module->decoration(type, spv::DecorationPayloadNodeNameAMDX))
            outputs[type] = readOutput(type);
}

Output Node::readOutput(uint32_t type) const
{
    Output out;
    out.type = type;
    out.name = module->string(module->decoration(type, spv::DecorationPayloadNodeNameAMDX)->operands[0]);
    out.baseIndex = module->decorationConstant(type, spv::DecorationPayloadNodeBaseIndexAMDX).value_or(0);
    out.arraySize = module->decorationConstant(type, spv::DecorationPayloadNodeArraySizeAMDX);
    out.sparse = module->decoration(type, spv::DecorationPayloadNodeSparseArrayAMDX) != nullptr;
    out.pool = type;
    if (const Decoration* shared = module->decoration(type, spv::DecorationNodeSharesPayloadLimitsWithAMDX)) {
        out.pool = shared->operands[0];
        if (module->decoration(out.pool, spv::DecorationNodeSharesPayloadLimitsWithAMDX))
            throw RuleError("NodeSharesPayloadLimitsWithAMDX with a type that shares itself");
    }
    const auto budget = module->decorationConstant(out.pool, spv::DecorationNodeMaxPayloadsAMDX);
    if (!budget)
        throw RuleError("output without NodeMaxPayloadsAMDX");
    out.budget = *budget;
    const uint32_t payload = module->type(type).element;
    out.payloadBytes = sizeOf(*module, payload, Layout::Explicit);
    out.trackFinish = module->decoration(payload, spv::DecorationTrackFinishWritingAMDX) != nullptr;
    return out;
}

void Node::checkLimits(const Limits& limits) const
{
    for (const auto& grid : {staticGrid, maxGrid}) {
        if (!grid)
            continue;
        for (uint32_t side : *grid)
            if (side > limits.workgroupCount)
                throw RuleError(label() + ": grid above maxExecutionGraphWorkgroupCount");
        if (uint64_t{(*grid)[0]} * (*grid)[1] * (*grid)[2] > limits.workgroups)
            throw RuleError(label() + ": grid above maxExecutionGraphWorkgroups");
    }
    // Types that share a budget count once, with the largest of them.
    std::map<uint32_t, uint64_t> poolBytes;
    for (const auto& [type, output] : outputs)
        poolBytes[output.pool] = std::max(poolBytes[output.pool], output.payloadBytes);
    uint64_t sum = payloadBytes;
    for (const auto& [pool, bytes] : poolBytes)
        sum += bytes;
    if (sum > limits.payloadSize)
        throw RuleError(label() + ": payload declarations above maxExecutionGraphShaderPayloadSize");
}

Grid Node::gridOf(const Payload& payload) const
{
    if (coalescing)
        return {1, 1, 1};
    if (staticGrid)
        return *staticGrid;
    Grid grid = {1, 1, 1};
    for (uint32_t i = 0; i < gridMember->components; ++i) {
        grid[i] = 0;
        std::memcpy(&grid[i], payload.block.data + gridMember->offset + uint64_t{i} * gridMember->componentBytes,
                    gridMember->componentBytes);
    }
    for (size_t i = 0; maxGrid && i < 3; ++i)
        if (grid[i] > (*maxGrid)[i])
            throw RuleError(label() + ": grid above MaxNumWorkgroupsAMDX");
    return grid;
}

}  // namespace millrace::oracle
