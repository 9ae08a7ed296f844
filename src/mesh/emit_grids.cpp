// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/memory_operands.h"
#include "shader/pointers.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Block;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Numbers in a value of the type, at most UINT32_MAX.
uint64_t countNumbers(const Module& module, Id type)
{
    const Instruction& i = *module.findDefinition(type);
    uint64_t count = 1;
    switch (i.op) {
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
            count = i.literal(1) * countNumbers(module, i.id(0));
            break;
        case spv::Op::OpTypeArray: {
            uint32_t length = 0;
            module.constantValue(i.id(1), length);
            count = length * countNumbers(module, i.id(0));
            break;
        }
        case spv::Op::OpTypeStruct:
            count = 0;
            for (size_t m = 0; m < i.operandCount(); ++m)
                count += countNumbers(module, i.id(m));
            break;
        default:
            break;
    }
    return std::min<uint64_t>(count, UINT32_MAX);
}

// Writes a function that copies the payload behind the grids. Drivers copy a value number by number, each with code of
// its own, so arrays that make it large are copied by a loop.
class PayloadCopy {
public:
    PayloadCopy(Module& module, const Area& area, Id payload)
        : m_module(module), m_area(area), m_payload(payload), m_writer(module)
    {
    }

    // It takes the pointer to the area.
    Id write()
    {
        m_pointer = m_writer.addParameter(m_area.pointerType(m_module));
        m_module.decorate(m_pointer, spv::Decoration::Aliased);
        m_writer.beginBlock();
        copy({}, m_module.pointee(m_module.typeOf(m_payload)));
        return m_writer.finish();
    }

private:
    void copy(const std::vector<Id>& indices, Id type)
    {
        constexpr uint64_t kMostNumbers = 64;
        const Instruction i = *m_module.findDefinition(type);
        const auto copyPart = [&](Id index, Id part) {
            std::vector<Id> chain = indices;
            chain.push_back(index);
            copy(chain, part);
        };
        const bool hasParts = i.op == spv::Op::OpTypeArray || i.op == spv::Op::OpTypeStruct;
        if (!hasParts || countNumbers(m_module, type) <= kMostNumbers) {
            copyWhole(indices, type);
        } else if (i.op == spv::Op::OpTypeArray) {
            m_writer.forEach(
                i.id(1), [&](Id index) { copyPart(index, i.id(0)); }, spv::LoopControlMask::DontUnroll);
        } else {
            for (uint32_t m = 0; m < i.operandCount(); ++m)
                copyPart(m_module.getConstant(m), i.id(m));
        }
    }

    void copyWhole(const std::vector<Id>& indices, Id type)
    {
        Emitter out = m_writer.out();
        Id from = m_payload;
        if (!indices.empty()) {
            const Id pointer = m_module.getPointerType(spv::StorageClass::Workgroup, type);
            Instruction chain = spirv::instruction(spv::Op::OpAccessChain, pointer, m_module.newId()).add(m_payload);
            for (const Id index : indices)
                chain.add(index);
            from = chain.result;
            out.keep(std::move(chain));
        }
        m_area.store(out, m_area.place(out, m_pointer, 1, indices), out.emit(spv::Op::OpLoad, type, {from}), type);
    }

    Module& m_module;
    const Area& m_area;
    const Id m_payload;
    Id m_pointer;  // to the area
    shader::FunctionWriter m_writer;
};

class Emit {
public:
    Emit(commands::Variant& task, const Area& area, Id payload)
        : m_task(task), m_module(task.module), m_area(area), m_payload(payload)
    {
    }

    Status run()
    {
        // All invocations of the workgroup write to it and read it.
        shader::Failure failure("emitGrids");
        if (m_payload && !shader::changeStorage(m_module, m_payload, spv::StorageClass::Workgroup, failure))
            return failure.status();
        const Id pointer = m_module.getPointerType(spv::StorageClass::Private, word());
        m_task.group = m_module.createVariable(pointer, spv::StorageClass::Private);
        spirv::InstructionList start;
        Emitter out(m_module, start);
        m_areaPointer = m_area.locate(m_task, out, out.emit(spv::Op::OpLoad, word(), {m_task.group}));
        m_which = whichOfPair(out);
        m_draw = out.emit(spv::Op::OpLoad, word(), {m_task.sequence});
        if (m_payload)
            m_copyPayload = PayloadCopy(m_module, m_area, m_payload).write();
        const Id zero = m_module.getConstant(0);
        // Nothing, unless the shader says otherwise.
        setGrid(out, zero, zero, zero);
        if (const Status status = setDrawIndex(m_module, out, m_draw); !status)
            return status;
        for (size_t block = 0; block < entry().blocks.size(); ++block)
            replaceTerminator(block);
        shader::insertBehindVariables(entry(), start);
        becomeCompute(m_task);
        return {};
    }

private:
    Id word() { return m_module.getIntType(32, false); }
    spirv::Function& entry() { return *m_module.findFunction(m_task.entry); }

    void setGrid(Emitter& out, Id x, Id y, Id z)
    {
        const Id quad = m_module.getVectorType(word(), 4);
        const Id grid = out.emit(spv::Op::OpCompositeConstruct, quad, {x, y, z, m_draw});
        m_area.store(out, m_area.place(out, m_areaPointer, 0, {m_which}), grid, quad);
    }

    // The instruction ends the shader. All invocations come here, behind all that they have written.
    void replaceTerminator(size_t number)
    {
        Block& block = entry().blocks[number];
        if (block.body.back().op != spv::Op::OpEmitMeshTasksEXT)
            return;
        const Instruction emitted = block.body.back();
        block.body.pop_back();
        Emitter out(m_module, block.body);
        shader::emitWorkgroupBarrier(m_module, out, m_module.hasCapability(spv::Capability::VulkanMemoryModel));
        setGrid(out, asWord(out, emitted.id(0)), asWord(out, emitted.id(1)), asWord(out, emitted.id(2)));
        if (!m_payload || emitted.operandCount() < 4) {
            out.emitVoid(spv::Op::OpReturn, {});
            return;
        }
        const Id copies = m_module.newId(), end = m_module.newId();
        const Id isFirst = out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {m_which, m_module.getConstant(0)});
        out.keep(spirv::instruction(spv::Op::OpSelectionMerge).add(end).add(0u));
        out.emitVoid(spv::Op::OpBranchConditional, {isFirst, copies, end});
        Block copying{copies, {}, {}}, ending{end, {}, {}};
        Emitter copy(m_module, copying.body);
        copy.emit(spv::Op::OpFunctionCall, m_module.getVoidType(), {m_copyPayload, m_areaPointer});
        copy.emitVoid(spv::Op::OpBranch, {end});
        Emitter(m_module, ending.body).emitVoid(spv::Op::OpReturn, {});
        std::vector<Block>& blocks = entry().blocks;
        const auto behind = blocks.begin() + static_cast<ptrdiff_t>(number) + 1;
        blocks.insert(blocks.insert(behind, std::move(ending)), std::move(copying));
    }

    commands::Variant& m_task;
    Module& m_module;
    const Area& m_area;
    Id m_payload;
    Id m_areaPointer;
    Id m_copyPayload;
    Id m_which;  // of the two grids
    Id m_draw;
};

}  // namespace

Result<uint64_t> emitGrids(commands::Variant& task)
{
    const Id payload = findPayload(task.module);
    std::vector<Id> members{declarePair(task.module, sizeof(abi::MeshGrid) / 4)};
    if (payload)
        members.push_back(task.module.pointee(task.module.typeOf(payload)));
    const auto area = Area::create(task.module, members);
    if (!area)
        return area.error();
    if (const Status status = Emit(task, *area, payload).run(); !status)
        return status.error();
    return area->bytes();
}

}  // namespace millrace::mesh
