// SPDX-License-Identifier: Apache-2.0
#include "subgroups/lockstep.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "shader/function_writer.h"
#include "subgroups/flow.h"
#include "subgroups/meeting.h"

namespace millrace::subgroups {

using spirv::Block;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kFirstMeeting = 1u << 30;
constexpr uint32_t kEnd = ~0u;
constexpr uint32_t kVersionOfWholeInterfaces = 0x00010400;
constexpr uint32_t kWorkgroupBarrier = 0x108;  // AcquireRelease, WorkgroupMemory

// Not in variables: what needs it computes it again.
bool isComputedAgain(const Module& module, const Instruction& i)
{
    if (!i.type || !i.result)
        return false;
    const spv::Op type = module.findDefinition(i.type)->op;
    if (type == spv::Op::OpTypePointer)
        return module.storageOf(i.type) != spv::StorageClass::PhysicalStorageBuffer;
    return type == spv::Op::OpTypeImage || type == spv::Op::OpTypeSampler || type == spv::Op::OpTypeSampledImage ||
           type == spv::Op::OpTypeAccelerationStructureKHR;
}

class Lockstep {
public:
    Lockstep(Module& module, spirv::Function& entry, uint32_t size, Id count)
        : m_module(module),
          m_entry(entry),
          m_size(size),
          m_count(count),
          m_flow(module, entry),
          m_writer(module),
          m_uint(module.getIntType(32, false)),
          m_bool(module.getBoolType())
    {
    }

    void run()
    {
        findValues();
        findNeeds();
        writeBeginning();
        writeLoop();
        m_writer.finish();
        spirv::Function written = std::move(m_module.functions.back());
        m_module.functions.pop_back();
        written.definition = m_entry.definition;
        shader::insertBehindVariables(written, m_variables);
        m_entry = std::move(written);
    }

private:
    struct Value {
        uint32_t state;
        uint32_t order;  // in the code
        Instruction definition;
        Id variable;  // where others find it
    };

    Id c(uint32_t value) { return m_module.getConstant(value); }
    Id emit(spv::Op op, Id type, std::initializer_list<Id> operands) { return m_writer.out().emit(op, type, operands); }
    void store(Id pointer, Id value) { m_writer.out().emitVoid(spv::Op::OpStore, {pointer, value}); }
    Id load(Id pointer, Id type) { return emit(spv::Op::OpLoad, type, {pointer}); }
    Id element(Id array, Id type, Id index)
    {
        return emit(spv::Op::OpAccessChain, m_module.getPointerType(spv::StorageClass::Workgroup, type),
                    {array, index});
    }

    Id newVariable(Id type)
    {
        const Id id = m_module.newId();
        const Id pointer = m_module.getPointerType(spv::StorageClass::Function, type);
        m_variables.push_back(spirv::instruction(spv::Op::OpVariable, pointer, id)
                                  .add(static_cast<uint32_t>(spv::StorageClass::Function)));
        if (m_module.storageOf(type) == spv::StorageClass::PhysicalStorageBuffer)
            m_module.decorate(id, spv::Decoration::AliasedPointer);
        return id;
    }

    Id arrayOf(Id type)
    {
        const Id array = m_module.newId();
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(type).add(m_count));
        return addVariable(m_module, array, spv::StorageClass::Workgroup);
    }

    Id shown(Id type)
    {
        const Id inMemory = memoryType(m_module, type);
        Id& array = m_shown[inMemory.value];
        if (!array)
            array = arrayOf(inMemory);
        return array;
    }

    // What is computed where.
    void findValues()
    {
        uint32_t order = 0;
        for (uint32_t number = 0; number < m_flow.states().size(); ++number) {
            for (const State::Part& part : m_flow.states()[number].parts) {
                if (part.role == State::Role::Handover)
                    continue;
                for (const Instruction& i : m_flow.block(part.label).body)
                    if (i.result && i.op != spv::Op::OpVariable)
                        m_values[i.result.value] = {number, order++, i, {}};
            }
        }
    }

    // Which values a state needs from others.
    void findNeeds()
    {
        m_needs.resize(m_flow.states().size());
        for (uint32_t number = 0; number < m_flow.states().size(); ++number) {
            for (const State::Part& part : m_flow.states()[number].parts) {
                if (part.role == State::Role::Handover)
                    continue;
                for (const Instruction& i : m_flow.block(part.label).body)
                    if (i.op != spv::Op::OpPhi)
                        i.forEachUse([&](Id id) { need(number, id); });
            }
        }
        for (const Block& block : m_entry.blocks)
            for (const Instruction& i : block.body)
                for (size_t operand = 0; i.op == spv::Op::OpPhi && operand < i.operandCount(); operand += 2)
                    if (m_values.contains(i.result.value) && m_flow.runs(i.id(operand + 1).value))
                        need(m_flow.stateOf(i.id(operand + 1).value), i.id(operand));
    }

    void need(uint32_t state, Id id)
    {
        const auto found = m_values.find(id.value);
        if (found == m_values.end() || found->second.state == state ||
            !m_needs[state].emplace(found->second.order, id.value).second)
            return;
        Value& value = found->second;
        if (!isComputedAgain(m_module, value.definition)) {
            if (!value.variable)
                value.variable = newVariable(value.definition.type);
            return;
        }
        if (value.definition.op == spv::Op::OpPhi) {
            std::fprintf(stderr, "subgroups of another size: pointers that depend on the way are not known\n");
            std::abort();
        }
        const Instruction definition = value.definition;
        definition.forEachUse([&](Id operand) { need(state, operand); });
    }

    void writeBeginning()
    {
        m_writer.beginBlock();
        for (const Instruction& i : m_entry.blocks[0].body)
            if (i.op == spv::Op::OpVariable)
                m_writer.out().keep(i);
        m_place = newVariable(m_uint);
        m_step = newVariable(m_uint);
        m_places = arrayOf(m_uint);
        const Id two = m_module.newId();
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, two).add(m_uint).add(c(2)));
        m_next = addVariable(m_module, two, spv::StorageClass::Workgroup);
        m_index = load(getBuiltIn(m_module, spv::BuiltIn::LocalInvocationIndex, m_uint), m_uint);
        m_company.size = m_size;
        m_company.lane = emit(spv::Op::OpUMod, m_uint, {m_index, c(m_size)});
        m_company.first = emit(spv::Op::OpISub, m_uint, {m_index, m_company.lane});
        const Id rest = emit(spv::Op::OpISub, m_uint, {m_count, m_company.first});
        const Id isFull = emit(spv::Op::OpULessThanEqual, m_bool, {c(m_size), rest});
        m_company.count = emit(spv::Op::OpSelect, m_uint, {isFull, c(m_size), rest});
        m_company.places = m_places;
        m_company.shown = [this](Id type) { return shown(type); };
        m_company.variable = [this](Id type) { return newVariable(type); };
        store(m_place, c(placeOf(m_flow.states()[0].label)));
        store(m_step, c(0));
        // Each writes the same.
        store(element(m_next, m_uint, c(0)), c(kEnd));
        store(element(m_next, m_uint, c(1)), c(kEnd));
        barrier();
    }

    void barrier()
    {
        const Id workgroup = c(static_cast<uint32_t>(spv::Scope::Workgroup));
        m_writer.out().emitVoid(spv::Op::OpControlBarrier, {workgroup, workgroup, c(kWorkgroupBarrier)});
    }

    uint32_t placeOf(uint32_t label) const
    {
        const uint32_t number = m_flow.numberOf(label);
        return m_flow.states()[number].meets ? kFirstMeeting + number : number;
    }

    // for (;;) { all come to a meeting; the first of those takes place or the shader ends }
    void writeLoop()
    {
        const Id header = m_module.newId(), goOn = m_module.newId(), end = m_module.newId();
        m_writer.branch(header);
        m_writer.beginBlock(header);
        m_writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(end).add(goOn).add(0u));
        writeAlone();
        const Id step = load(m_step, m_uint);
        const Id place = load(m_place, m_uint);
        store(element(m_places, m_uint, m_index), place);
        const Id workgroup = c(static_cast<uint32_t>(spv::Scope::Workgroup));
        emit(spv::Op::OpAtomicUMin, m_uint, {element(m_next, m_uint, step), workgroup, c(0), place});
        showAll(place);
        barrier();
        m_company.here = load(element(m_next, m_uint, step), m_uint);
        const Id isEnd = emit(spv::Op::OpIEqual, m_bool, {m_company.here, c(kEnd)});
        const Id meet = m_module.newId();
        m_writer.out().emitVoid(spv::Op::OpBranchConditional, {isEnd, end, meet});
        m_writer.beginBlock(meet);
        const Id other = emit(spv::Op::OpISub, m_uint, {c(1), step});
        store(element(m_next, m_uint, other), c(kEnd));
        store(m_step, other);
        meetAll(place);
        barrier();
        m_writer.branch(goOn);
        m_writer.beginBlock(goOn);
        m_writer.branch(header);
        m_writer.beginBlock(end);
    }

    // do { each state in which the invocation is } while (it is in none)
    void writeAlone()
    {
        const Id header = m_module.newId(), goOn = m_module.newId(), end = m_module.newId(), first = m_module.newId();
        m_writer.branch(header);
        m_writer.beginBlock(header);
        m_writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(end).add(goOn).add(0u));
        m_writer.branch(first);
        m_writer.beginBlock(first);
        for (uint32_t number = 0; number < m_flow.states().size(); ++number) {
            if (m_flow.states()[number].meets)
                continue;
            const Id join = m_module.newId();
            m_writer.beginIf(emit(spv::Op::OpIEqual, m_bool, {load(m_place, m_uint), c(number)}), join);
            writeState(number);
            m_writer.endIf(join);
        }
        m_writer.branch(goOn);
        m_writer.beginBlock(goOn);
        const Id waits = emit(spv::Op::OpUGreaterThanEqual, m_bool, {load(m_place, m_uint), c(kFirstMeeting)});
        m_writer.out().emitVoid(spv::Op::OpBranchConditional, {waits, end, header});
        m_writer.beginBlock(end);
    }

    template <typename Body>
    void forEachMeeting(const Body& body)
    {
        for (uint32_t number = 0; number < m_flow.states().size(); ++number) {
            const State& state = m_flow.states()[number];
            if (state.meets)
                body(number, m_flow.block(state.label));
        }
    }

    void showAll(Id place)
    {
        forEachMeeting([&](uint32_t number, const Block& block) {
            const Instruction& meeting = block.body[0];
            const Id operand = operandToShow(meeting);
            if (!operand && meeting.op != spv::Op::OpControlBarrier)
                return;
            const Id join = m_module.newId();
            m_writer.beginIf(emit(spv::Op::OpIEqual, m_bool, {place, c(kFirstMeeting + number)}), join);
            enter(number);
            if (operand) {
                const Id type = m_module.typeOf(operand), inMemory = memoryType(m_module, type);
                const Id value = toMemory(m_writer.out(), local(operand), type);
                store(element(shown(type), inMemory, m_index), value);
            } else {
                fence(meeting);
            }
            m_writer.endIf(join);
        });
    }

    // The shader's own barrier also says what memory it is for.
    void fence(const Instruction& barrier)
    {
        m_writer.out().emitVoid(spv::Op::OpMemoryBarrier, {barrier.id(1), barrier.id(2)});
    }

    void meetAll(Id place)
    {
        const Id isHere = emit(spv::Op::OpIEqual, m_bool, {place, m_company.here});
        forEachMeeting([&](uint32_t number, const Block& block) {
            const Id join = m_module.newId();
            const Id isIt = emit(spv::Op::OpIEqual, m_bool, {m_company.here, c(kFirstMeeting + number)});
            m_writer.beginIf(emit(spv::Op::OpLogicalAnd, m_bool, {isHere, isIt}), join);
            enter(number);
            Instruction meeting = block.body[0];
            if (meeting.op == spv::Op::OpControlBarrier)
                fence(meeting);
            if (const Id shows = operandToShow(meeting))
                m_company.shownType = m_module.typeOf(shows);
            meeting.forEachUse([&](Id& id) { id = local(id); });
            const Id result = meet(m_writer, m_module, m_company, meeting);
            if (meeting.result) {
                m_local[meeting.result.value] = result;
                keep(meeting.result);
            }
            writeEnd(block);
            m_writer.endIf(join);
        });
    }

    // From here on values of other states have names.
    void enter(uint32_t number)
    {
        m_number = number;
        m_local.clear();
        m_labels.clear();
        for (const auto& [order, id] : m_needs[number]) {
            const Value& value = m_values.at(id);
            if (value.variable) {
                m_local[id] = load(value.variable, value.definition.type);
                copyDecorations(Id{id}, m_local[id]);
                continue;
            }
            Instruction again = value.definition;
            again.forEachUse([&](Id& operand) { operand = local(operand); });
            again.result = m_module.newId();
            m_local[id] = again.result;
            m_writer.out().keep(again);
            copyDecorations(Id{id}, again.result);
        }
    }

    void copyDecorations(Id from, Id to)
    {
        if (m_module.findDecoration(from, spv::Decoration::NonUniform))
            m_module.decorate(to, spv::Decoration::NonUniform);
    }

    Id local(Id id) const
    {
        const auto found = m_local.find(id.value);
        return found == m_local.end() ? id : found->second;
    }

    // For other states.
    void keep(Id id)
    {
        const auto found = m_values.find(id.value);
        if (found != m_values.end() && found->second.variable)
            store(found->second.variable, local(id));
    }

    Id& phiVariable(const Instruction& phi)
    {
        Id& variable = m_phis[phi.result.value];
        if (!variable)
            variable = newVariable(phi.type);
        return variable;
    }

    void writeState(uint32_t number)
    {
        enter(number);
        const State& state = m_flow.states()[number];
        for (const State::Part& part : state.parts) {
            const Block& block = m_flow.block(part.label);
            switch (part.role) {
                case State::Role::Start:
                    writeStart(block);
                    break;
                case State::Role::Handover:
                    m_writer.beginBlock(block.label);
                    handOver(block);
                    return;
                default:
                    m_writer.beginBlock(block.label);
                    writePhis(block);
            }
            writeBody(part, &part == &state.parts.back());
        }
    }

    // What came from other states is in variables.
    void writeStart(const Block& block)
    {
        const bool isLoop = m_flow.isWhole(block.label.value) && mergeOf(block)->op == spv::Op::OpLoopMerge;
        std::map<uint32_t, Id> values;
        for (const Instruction& i : block.body)
            if (i.op == spv::Op::OpPhi)
                values[i.result.value] = load(phiVariable(i), i.type);
        if (!isLoop) {
            m_labels[block.label.value] = m_writer.label();
            for (const auto& [id, value] : values) {
                m_local[id] = value;
                keep(Id{id});
            }
            return;
        }
        const Id before = m_writer.label();
        m_writer.branch(block.label);
        m_writer.beginBlock(block.label);
        for (const Instruction& i : block.body) {
            if (i.op != spv::Op::OpPhi)
                continue;
            Instruction phi = spirv::instruction(i.op, i.type, i.result).add(values.at(i.result.value)).add(before);
            for (size_t operand = 0; operand < i.operandCount(); operand += 2)
                if (m_flow.isInside(block.label.value, i.id(operand + 1).value) || i.id(operand + 1) == block.label)
                    phi.add(local(i.id(operand))).add(i.id(operand + 1));
            m_writer.out().keep(phi);
        }
        keepPhis(block);
    }

    void writePhis(const Block& block)
    {
        for (Instruction i : block.body) {
            if (i.op != spv::Op::OpPhi)
                continue;
            i.forEachUse([&](Id& id) {
                const auto label = m_labels.find(id.value);
                id = label == m_labels.end() ? local(id) : label->second;
            });
            m_writer.out().keep(i);
        }
        keepPhis(block);
    }

    void keepPhis(const Block& block)
    {
        for (const Instruction& i : block.body)
            if (i.op == spv::Op::OpPhi)
                keep(i.result);
    }

    void writeBody(const State::Part& part, bool isLast)
    {
        const Block& block = m_flow.block(part.label);
        const bool isConstruct = part.role == State::Role::Whole || m_flow.isWhole(part.label);
        for (Instruction i : block.body) {
            const bool isMerge = i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge;
            if (i.op == spv::Op::OpPhi || i.op == spv::Op::OpVariable || (isMerge && !isConstruct))
                continue;
            if (isLast && spirv::isTerminator(i.op)) {
                writeEnd(block);
                continue;
            }
            i.forEachUse([&](Id& id) { id = local(id); });
            m_writer.out().keep(i);
            if (i.result)
                keep(i.result);
        }
    }

    // The end of a construct to which others come as well, so that it is a state by itself.
    void handOver(const Block& block)
    {
        std::map<uint32_t, Id> values;
        for (const Instruction& i : block.body) {
            if (i.op != spv::Op::OpPhi)
                continue;
            Instruction phi = spirv::instruction(i.op, i.type, m_module.newId());
            for (size_t operand = 0; operand < i.operandCount(); operand += 2) {
                const Id from = i.id(operand + 1);
                const auto label = m_labels.find(from.value);
                if (m_flow.runsIn(from.value, m_number))
                    phi.add(local(i.id(operand))).add(label == m_labels.end() ? from : label->second);
            }
            values[i.result.value] = phi.result;
            m_writer.out().keep(phi);
        }
        for (const Instruction& i : block.body)
            if (i.op == spv::Op::OpPhi)
                store(phiVariable(i), values.at(i.result.value));
        store(m_place, c(placeOf(block.label.value)));
    }

    void goTo(const Block& from, uint32_t label)
    {
        for (const Instruction& i : m_flow.block(label).body)
            for (size_t operand = 0; i.op == spv::Op::OpPhi && operand < i.operandCount(); operand += 2)
                if (i.id(operand + 1) == from.label)
                    store(phiVariable(i), local(i.id(operand)));
        store(m_place, c(placeOf(label)));
    }

    // The state ends as the block does.
    void writeEnd(const Block& block)
    {
        const std::vector<uint32_t> next = successors(block);
        if (next.empty()) {
            store(m_place, c(kEnd));
            return;
        }
        if (next.size() == 1) {
            goTo(block, next[0]);
            return;
        }
        Instruction end = block.body.back();
        const Id join = m_module.newId();
        std::map<uint32_t, Id> ways;
        for (const uint32_t each : next)
            ways[each] = m_module.newId();
        end.forEachUse([&](Id& id) {
            const auto way = ways.find(id.value);
            id = way == ways.end() ? local(id) : way->second;
        });
        m_writer.out().keep(spirv::instruction(spv::Op::OpSelectionMerge).add(join).add(0u));
        m_writer.out().keep(end);
        for (const uint32_t each : next) {
            m_writer.beginBlock(ways.at(each));
            goTo(block, each);
            m_writer.branch(join);
        }
        m_writer.beginBlock(join);
    }

    Module& m_module;
    spirv::Function& m_entry;
    uint32_t m_size;
    Id m_count;
    Flow m_flow;
    shader::FunctionWriter m_writer;
    Id m_uint, m_bool;
    InstructionList m_variables;
    std::map<uint32_t, Value> m_values;
    std::vector<std::set<std::pair<uint32_t, uint32_t>>> m_needs;  // by state: order and id
    std::map<uint32_t, Id> m_shown, m_phis;
    Id m_place;   // where the invocation is: a state, a meeting, or the end
    Id m_step;    // which of two is the next meeting
    Id m_places;  // of all
    Id m_next;    // two, of which one is the next meeting of all
    Id m_index;
    Company m_company;
    // While a state is written.
    uint32_t m_number = 0;
    std::map<uint32_t, Id> m_local, m_labels;
};

}  // namespace

void meetInSubgroups(Module& module, Id entry, uint32_t size, Id count)
{
    module.functions.reserve(module.functions.size() + 1);  // the new one takes the place of the old one
    Lockstep(module, *module.findFunction(entry), size, count).run();
}

Id findBuiltIn(const Module& module, spv::BuiltIn builtIn)
{
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
            i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            i.literal(2) == static_cast<uint32_t>(builtIn))
            return i.id(0);
    return {};
}

Id getBuiltIn(Module& module, spv::BuiltIn builtIn, Id type)
{
    if (const Id found = findBuiltIn(module, builtIn))
        return found;
    const Id variable =
        module.createVariable(module.getPointerType(spv::StorageClass::Input, type), spv::StorageClass::Input);
    const auto literal = static_cast<uint32_t>(builtIn);
    module.decorate(variable, spv::Decoration::BuiltIn, {&literal, 1});
    module.section(Section::EntryPoints)[0].add(variable);
    return variable;
}

Id addVariable(Module& module, Id type, spv::StorageClass storage)
{
    const Id variable = module.createVariable(module.getPointerType(storage, type), storage);
    if (module.version >= kVersionOfWholeInterfaces)
        module.section(Section::EntryPoints)[0].add(variable);
    return variable;
}

}  // namespace millrace::subgroups
