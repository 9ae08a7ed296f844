// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "compiler/memory_operands.h"
#include "compiler/pointers.h"
#include "mesh/passes.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Block;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

class Emit {
public:
    Emit(commands::Variant& task, const Area& area, Id payload)
        : m_task(task), m_module(task.module), m_area(area), m_payload(payload)
    {
    }

    Status run()
    {
        // All invocations of the workgroup write to it and read it.
        compiler::Failure failure("emitGrids");
        if (m_payload && !compiler::changeStorage(m_module, m_payload, spv::StorageClass::Workgroup, failure)) {
            return failure.status();
        }
        const Id pointer = m_module.getPointerType(spv::StorageClass::Private, word());
        m_task.group = m_module.createVariable(pointer, spv::StorageClass::Private);
        spirv::InstructionList start;
        Emitter out(m_module, start);
        m_areaPointer = m_area.locate(m_task, out, out.emit(spv::Op::OpLoad, word(), {m_task.group}));
        m_which = whichOfPair(out);
        m_draw = out.emit(spv::Op::OpLoad, word(), {m_task.sequence});
        const Id zero = m_module.getConstant(0);
        // Nothing, unless the shader says otherwise.
        setGrid(out, zero, zero, zero);
        if (const Status status = setDrawIndex(m_module, out, m_draw); !status) {
            return status;
        }
        for (size_t block = 0; block < entry().blocks.size(); block++) {
            replaceTerminator(block);
        }
        compiler::insertBehindVariables(entry(), start);
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
        if (block.body.back().op != spv::Op::OpEmitMeshTasksEXT) {
            return;
        }
        const Instruction emitted = block.body.back();
        block.body.pop_back();
        Emitter out(m_module, block.body);
        compiler::emitWorkgroupBarrier(m_module, out, m_module.hasCapability(spv::Capability::VulkanMemoryModel));
        setGrid(out, asWord(emitted.id(0), out), asWord(emitted.id(1), out), asWord(emitted.id(2), out));
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
        const Id type = m_module.pointee(m_module.typeOf(m_payload));
        m_area.store(copy, m_area.place(copy, m_areaPointer, 1, {}), copy.emit(spv::Op::OpLoad, type, {m_payload}),
                     type);
        copy.emitVoid(spv::Op::OpBranch, {end});
        Emitter(m_module, ending.body).emitVoid(spv::Op::OpReturn, {});
        std::vector<Block>& blocks = entry().blocks;
        const auto behind = blocks.begin() + static_cast<ptrdiff_t>(number) + 1;
        blocks.insert(blocks.insert(behind, std::move(ending)), std::move(copying));
    }

    // Counts may be signed.
    Id asWord(Id value, Emitter& out)
    {
        return m_module.typeOf(value) == word() ? value : out.emit(spv::Op::OpBitcast, word(), {value});
    }

    commands::Variant& m_task;
    Module& m_module;
    const Area& m_area;
    Id m_payload;
    Id m_areaPointer;
    Id m_which;  // of the two grids
    Id m_draw;
};

}  // namespace

Result<uint64_t> emitGrids(commands::Variant& task)
{
    const Id payload = findPayload(task.module);
    std::vector<Id> members{declarePair(task.module, sizeof(abi::MeshGrid) / 4)};
    if (payload) {
        members.push_back(task.module.pointee(task.module.typeOf(payload)));
    }
    const auto area = Area::create(task.module, members);
    if (!area) {
        return area.error();
    }
    if (const Status status = Emit(task, *area, payload).run(); !status) {
        return status.error();
    }
    return area->bytes();
}

}  // namespace millrace::mesh
