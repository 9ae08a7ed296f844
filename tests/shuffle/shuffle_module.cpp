// SPDX-License-Identifier: Apache-2.0
#include "shuffle/shuffle_module.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "shader/function_writer.h"
#include "shader/memory_operands.h"
#include "shuffle/interface.h"
#include "shuffle/late_stores.h"
#include "shuffle/old_loads.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::shuffle {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kMoreThanThereAre = 4096;
constexpr uint32_t kOneInSo = 8;       // so many wait
constexpr uint32_t kLongestWait = 64;  // atomics on workgroup memory
constexpr uint32_t kVersionWithSubgroups = 0x00010300;
// Of the seed.
constexpr uint32_t kBitOfSubgroups = 5;
constexpr uint32_t kBitOfOldLoads = 6;

class Shuffler {
public:
    Shuffler(Module& module, uint32_t seed, Dispatch dispatch) : m_module(module), m_seed(seed), m_dispatch(dispatch) {}

    // Whether it is a shader that this knows how to change.
    bool find()
    {
        const InstructionList& entries = m_module.section(Section::EntryPoints);
        if (entries.size() != 1 || entries[0].literal(0) != static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
            return false;
        m_entry = entries[0].id(1);
        return findSize();
    }

    void run()
    {
        m_uint = m_module.getIntType(32, false);
        m_triple = m_module.getVectorType(m_uint, 3);
        m_key = m_module.createVariable(pointer(spv::StorageClass::Private, m_uint), spv::StorageClass::Private);
        m_counter =
            m_module.createVariable(pointer(spv::StorageClass::Workgroup, m_uint), spv::StorageClass::Workgroup);
        addToInterface(m_module, m_key);
        addToInterface(m_module, m_counter);
        replaceBuiltIns();
        waitAtAtomics();
        delayStores(m_module, m_wait);
        if (m_seed >> kBitOfOldLoads & 1)
            keepOldLoads(m_module);
        beginShuffled();
    }

private:
    Id pointer(spv::StorageClass storage, Id pointee) { return m_module.getPointerType(storage, pointee); }

    std::optional<Id> findBuiltIn(spv::BuiltIn builtIn) const
    {
        for (const Instruction& i : m_module.section(Section::Annotations))
            if (i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                i.literal(2) == static_cast<uint32_t>(builtIn))
                return i.id(0);
        return std::nullopt;
    }

    bool findSize()
    {
        if (const auto constant = findBuiltIn(spv::BuiltIn::WorkgroupSize)) {
            m_wholeSize = *constant;
            return true;
        }
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            if (i.id(0) != m_entry)
                continue;
            const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
            for (uint32_t side = 0; side < 3; ++side) {
                if (mode == spv::ExecutionMode::LocalSize)
                    m_size[side] = m_module.getConstant(i.literal(2 + side));
                if (mode == spv::ExecutionMode::LocalSizeId)
                    m_size[side] = i.id(2 + side);
            }
        }
        return bool{m_size[0]};
    }

    // What the driver gives.
    Id real(spv::BuiltIn builtIn, Id type)
    {
        if (const auto found = findBuiltIn(builtIn))
            return *found;
        const Id variable = m_module.createVariable(pointer(spv::StorageClass::Input, type), spv::StorageClass::Input);
        const uint32_t literal = static_cast<uint32_t>(builtIn);
        m_module.decorate(variable, spv::Decoration::BuiltIn, {&literal, 1});
        m_module.section(Section::EntryPoints)[0].add(variable);
        return variable;
    }

    // Code reads a variable of its own in place of the built-in.
    void replaceBuiltIns()
    {
        std::unordered_map<uint32_t, uint32_t> replaced;
        const auto replace = [&](spv::BuiltIn builtIn, Id type) {
            const auto found = findBuiltIn(builtIn);
            if (!found)
                return Id{};
            const Id own =
                m_module.createVariable(pointer(spv::StorageClass::Private, type), spv::StorageClass::Private);
            addToInterface(m_module, own);
            replaced[found->value] = own.value;
            return own;
        };
        m_group = replace(spv::BuiltIn::WorkgroupId, m_triple);
        m_position = replace(spv::BuiltIn::GlobalInvocationId, m_triple);
        if (m_dispatch == Dispatch::Indirect)
            m_count = replace(spv::BuiltIn::NumWorkgroups, m_triple);
        if (m_module.version >= kVersionWithSubgroups) {
            m_local = replace(spv::BuiltIn::LocalInvocationId, m_triple);
            m_index = replace(spv::BuiltIn::LocalInvocationIndex, m_uint);
            m_subgroup = replace(spv::BuiltIn::SubgroupId, m_uint);
        }
        const Id component = pointer(spv::StorageClass::Private, m_uint);
        for (spirv::Function& function : m_module.functions) {
            for (spirv::Block& block : function.blocks) {
                for (Instruction& i : block.body) {
                    bool reads = false;
                    i.forEachUse([&](Id& id) {
                        if (const auto own = replaced.find(id.value); own != replaced.end()) {
                            id = Id{own->second};
                            reads = true;
                        }
                    });
                    if (reads && (i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain))
                        i.type = component;
                }
            }
        }
    }

    // Some workgroups wait where `place` says where they are.
    Id waitFunction()
    {
        shader::FunctionWriter writer(m_module);
        const Id place = writer.addParameter(m_uint);
        writer.beginBlock();
        const auto c = [&](uint32_t value) { return m_module.getConstant(value); };
        Id hash = writer.out().emit(spv::Op::OpLoad, m_uint, {m_key});
        hash = mixed(writer.out(), hash, place);
        const Id rest = writer.out().emit(spv::Op::OpUMod, m_uint, {hash, c(kOneInSo)});
        const Id waits = writer.out().emit(spv::Op::OpIEqual, m_module.getBoolType(), {rest, c(0)});
        const Id join = m_module.newId();
        writer.beginIf(waits, join);
        const Id high = writer.out().emit(spv::Op::OpShiftRightLogical, m_uint, {hash, c(16)});
        const Id count = writer.out().emit(spv::Op::OpUMod, m_uint, {high, c(kLongestWait)});
        const Id scope = c(static_cast<uint32_t>(spv::Scope::Workgroup));
        // Nothing that a compiler may leave out.
        writer.forEach(count, [&](Id) {
            writer.out().emit(spv::Op::OpAtomicIAdd, m_uint, {m_counter, scope, c(0), c(1)});
        });
        writer.endIf(join);
        return writer.finish();
    }

    Id mixed(Emitter out, Id a, Id b)
    {
        const auto c = [&](uint32_t value) { return m_module.getConstant(value); };
        Id h = out.emit(spv::Op::OpIMul, m_uint, {b, c(0x9e3779b9u)});
        h = out.emit(spv::Op::OpBitwiseXor, m_uint, {a, h});
        for (const uint32_t factor : {0x7feb352du, 0x846ca68bu}) {
            const Id high = out.emit(spv::Op::OpShiftRightLogical, m_uint, {h, c(15)});
            h = out.emit(spv::Op::OpBitwiseXor, m_uint, {h, high});
            h = out.emit(spv::Op::OpIMul, m_uint, {h, c(factor)});
        }
        return h;
    }

    // Atomics on workgroup memory are in the order that the workgroup itself gives them.
    void waitAtAtomics()
    {
        m_wait = waitFunction();
        const Id voidType = m_module.getVoidType();
        uint32_t place = 1;
        for (spirv::Function& function : m_module.functions) {
            if (function.id() == m_wait)
                continue;
            for (spirv::Block& block : function.blocks) {
                InstructionList body;
                Emitter out(m_module, body);
                for (const Instruction& i : block.body) {
                    if (shader::isAtomic(i.op) &&
                        m_module.storageOf(m_module.typeOf(i.id(0))) != spv::StorageClass::Workgroup)
                        out.call(m_wait, voidType, {m_module.getConstant(place++)});
                    out.keep(i);
                }
                m_pending.push_back({&block, std::move(body)});
            }
        }
        // Not before all is looked up.
        for (auto& [block, body] : m_pending)
            block->body = std::move(body);
    }

    Id sizeOf(Emitter out, uint32_t side)
    {
        if (!m_wholeSize)
            return m_size[side];
        return extract(out, m_wholeSize, side);
    }

    Id extract(Emitter out, Id vector, uint32_t side)
    {
        const Id id = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, m_uint, id).add(vector).add(side));
        return id;
    }

    // A bijection of 0 .. count - 1: rotated by what the seed says, and turned round or not.
    Id permuted(Emitter out, Id number, Id count, uint32_t side)
    {
        const auto c = [&](uint32_t value) { return m_module.getConstant(value); };
        if (m_seed >> side & 1) {
            const Id last = out.emit(spv::Op::OpISub, m_uint, {count, c(1)});
            number = out.emit(spv::Op::OpISub, m_uint, {last, number});
        }
        const Id turn = out.emit(spv::Op::OpUMod, m_uint, {c(m_seed * 0x9e3779b9u >> 16), count});
        const Id sum = out.emit(spv::Op::OpIAdd, m_uint, {number, turn});
        return out.emit(spv::Op::OpUMod, m_uint, {sum, count});
    }

    Id vector(Emitter out, const std::array<Id, 3>& sides)
    {
        return out.emit(spv::Op::OpCompositeConstruct, m_triple, {sides[0], sides[1], sides[2]});
    }

    // Subgroups that are full have each other's invocations. Returns the place of this one in its workgroup.
    std::array<Id, 3> beginSubgroups(Emitter out)
    {
        const Id width = sizeOf(out, 0), height = sizeOf(out, 1);
        const Id area = out.emit(spv::Op::OpIMul, m_uint, {width, height});
        const Id all = out.emit(spv::Op::OpIMul, m_uint, {area, sizeOf(out, 2)});
        const Id size = out.emit(spv::Op::OpLoad, m_uint, {real(spv::BuiltIn::SubgroupSize, m_uint)});
        const Id old = out.emit(spv::Op::OpLoad, m_uint, {real(spv::BuiltIn::LocalInvocationIndex, m_uint)});
        const Id full = out.emit(spv::Op::OpUDiv, m_uint, {all, size});
        const Id number = out.emit(spv::Op::OpUDiv, m_uint, {old, size});
        const Id lane = out.emit(spv::Op::OpUMod, m_uint, {old, size});
        const Id isFull = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {number, full});
        // No number is divided by 0 where no subgroup is full.
        const Id more = out.emit(spv::Op::OpSelect, m_uint, {isFull, full, m_module.getConstant(1)});
        const Id other = permuted(out, number, more, kBitOfSubgroups);
        const Id own = out.emit(spv::Op::OpSelect, m_uint, {isFull, other, number});
        const Id first = out.emit(spv::Op::OpIMul, m_uint, {own, size});
        const Id index = out.emit(spv::Op::OpIAdd, m_uint, {first, lane});
        m_module.addCapability(spv::Capability::GroupNonUniform);
        if (m_index)
            out.emitVoid(spv::Op::OpStore, {m_index, index});
        if (m_subgroup)
            out.emitVoid(spv::Op::OpStore, {m_subgroup, own});
        const Id row = out.emit(spv::Op::OpUDiv, m_uint, {index, width});
        return {out.emit(spv::Op::OpUMod, m_uint, {index, width}), out.emit(spv::Op::OpUMod, m_uint, {row, height}),
                out.emit(spv::Op::OpUDiv, m_uint, {index, area})};
    }

    // Where the invocation is in its workgroup.
    std::array<Id, 3> beginInvocation(Emitter out)
    {
        std::array<Id, 3> local;
        if (m_local || m_index || m_subgroup) {
            local = beginSubgroups(out);
        } else {
            const Id old = out.emit(spv::Op::OpLoad, m_triple, {real(spv::BuiltIn::LocalInvocationId, m_triple)});
            for (uint32_t side = 0; side < 3; ++side)
                local[side] = extract(out, old, side);
        }
        if (m_local)
            out.emitVoid(spv::Op::OpStore, {m_local, vector(out, local)});
        return local;
    }

    // The first thing that the shader does.
    void beginShuffled()
    {
        const Id group = real(spv::BuiltIn::WorkgroupId, m_triple);
        const Id count = real(spv::BuiltIn::NumWorkgroups, m_triple);
        InstructionList code;
        Emitter out(m_module, code);
        const Id oldGroup = out.emit(spv::Op::OpLoad, m_triple, {group});
        const Id all = out.emit(spv::Op::OpLoad, m_triple, {count});
        Id key = m_module.getConstant(m_seed);
        std::array<Id, 3> own;
        for (uint32_t side = 0; side < 3; ++side) {
            own[side] = permuted(out, extract(out, oldGroup, side), extract(out, all, side), side);
            key = mixed(out, key, own[side]);
        }
        if (m_group)
            out.emitVoid(spv::Op::OpStore, {m_group, vector(out, own)});
        const std::array<Id, 3> local = beginInvocation(out);
        // A subgroup waits as long as one of its invocations does, so they wait together.
        if (m_subgroup)
            key = mixed(out, key, out.emit(spv::Op::OpLoad, m_uint, {m_subgroup}));
        out.emitVoid(spv::Op::OpStore, {m_key, key});
        if (m_position) {
            std::array<Id, 3> position;
            for (uint32_t side = 0; side < 3; ++side) {
                const Id first = out.emit(spv::Op::OpIMul, m_uint, {own[side], sizeOf(out, side)});
                position[side] = out.emit(spv::Op::OpIAdd, m_uint, {first, local[side]});
            }
            out.emitVoid(spv::Op::OpStore, {m_position, vector(out, position)});
        }
        if (m_count) {
            const Id old = m_module.getConstant(m_seed >> 3 & 1 ? kMoreThanThereAre : 1);
            out.emitVoid(spv::Op::OpStore, {m_count, vector(out, {old, old, old})});
        }
        out.call(m_wait, m_module.getVoidType(), {m_module.getConstant(0)});
        InstructionList& body = m_module.findFunction(m_entry)->blocks[0].body;
        const auto isVariable = [](const Instruction& i) { return i.op == spv::Op::OpVariable; };
        const auto first = std::ranges::find_if_not(body, isVariable);
        body.insert(first, code.begin(), code.end());
    }

    Module& m_module;
    uint32_t m_seed;
    Dispatch m_dispatch;
    Id m_entry;
    Id m_wholeSize;              // a constant, or
    std::array<Id, 3> m_size{};  // one for each side
    Id m_uint, m_triple;
    Id m_key;      // of the workgroup
    Id m_counter;  // in workgroup memory, of no meaning
    Id m_wait;
    // What code reads in place of the built-ins, where it reads them.
    Id m_group, m_position, m_count, m_local, m_index, m_subgroup;
    std::vector<std::pair<spirv::Block*, InstructionList>> m_pending;
};

}  // namespace

std::vector<uint32_t> shuffleModule(std::span<const uint32_t> words, uint32_t seed, Dispatch dispatch)
{
    // Stores are moved inside their block, so blocks should be long.
    const auto inlined = spirv::inlineAll(words);
    auto module = spirv::read(inlined ? *inlined : words);
    if (!module)
        return {words.begin(), words.end()};
    Shuffler shuffler(*module, seed, dispatch);
    if (!shuffler.find())
        return {words.begin(), words.end()};
    shuffler.run();
    return spirv::write(*module);
}

bool isNode(std::span<const uint32_t> words)
{
    const auto module = spirv::read(words);
    return module && std::ranges::any_of(module->functions, [&](const spirv::Function& function) {
               return module->name(function.id()) == "mr_next";
           });
}

}  // namespace millrace::shuffle
