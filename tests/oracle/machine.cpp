// SPDX-License-Identifier: Apache-2.0
#include "oracle/machine.h"

#include <algorithm>
#include <cstring>

#include "oracle/layout.h"

namespace millrace::oracle {

namespace {

constexpr uint64_t kJumpsPerWorkgroup = 200'000'000;  // more than that is an endless loop

uint64_t readNumber(const uint8_t* from, uint32_t bytes)
{
    uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

template <typename T>
T* asPointer(uint64_t bits)
{
    return reinterpret_cast<T*>(bits);
}

template <typename T>
uint64_t asBits(T* pointer)
{
    return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace

namespace {

std::span<const uint8_t> elementOf(const MeshOutputs& outputs, const MeshVariable& variable, uint32_t element)
{
    if (element >= variable.count)
        throw RuleError("output " + std::to_string(element) + " of " + std::to_string(variable.count));
    return outputs.memory.subspan(variable.offset + element * variable.stride, variable.bytes);
}

}  // namespace

std::span<const uint8_t> MeshOutputs::at(spv::BuiltIn builtIn, uint32_t element) const
{
    for (const MeshVariable& variable : variables)
        if (variable.builtIn == builtIn)
            return elementOf(*this, variable, element);
    throw RuleError(std::string("a mesh shader does not write ") + spv::BuiltInToString(builtIn));
}

std::span<const uint8_t> MeshOutputs::at(uint32_t location, uint32_t element) const
{
    for (const MeshVariable& variable : variables)
        if (variable.location == location)
            return elementOf(*this, variable, element);
    throw RuleError("a mesh shader does not write location " + std::to_string(location));
}

Machine::Machine(const Program& program, Grid localSize, Memory& memory)
    : m_program(program), m_memory(memory), m_localSize(localSize)
{
    const size_t lanes = size_t{localSize[0]} * localSize[1] * localSize[2];
    if (lanes == 0)
        throw RuleError("workgroup of no invocations");
    m_slotStorage.resize(lanes * program.slots);
    m_laneStorage.resize(lanes * program.laneBytes);
    m_groupStorage.resize(program.groupBytes);
    m_groupMemory = {m_groupStorage.data(), m_groupStorage.size(), false, false};
    m_lanes.resize(lanes);
    for (size_t i = 0; i < lanes; ++i) {
        m_lanes[i].slots = m_slotStorage.data() + i * program.slots;
        m_lanes[i].memory = {m_laneStorage.data() + i * program.laneBytes, program.laneBytes, false, false};
    }
    preset();
}

void Machine::preset()
{
    for (Lane& lane : m_lanes) {
        for (const Preset& item : m_program.presets) {
            uint64_t* slots = lane.slots + item.slot;
            switch (item.kind) {
                case Preset::Kind::Constant:
                    slots[0] = item.value;
                    break;
                case Preset::Kind::LaneMemory:
                    slots[0] = asBits(&lane.memory);
                    slots[1] = item.value;
                    break;
                case Preset::Kind::GroupMemory:
                    slots[0] = asBits(&m_groupMemory);
                    slots[1] = item.value;
                    break;
                case Preset::Kind::Buffer: {
                    const auto found = m_memory.buffers.find(
                        {static_cast<uint32_t>(item.value >> 32), static_cast<uint32_t>(item.value)});
                    if (found == m_memory.buffers.end())
                        throw RuleError("buffer that was not bound");
                    slots[0] = asBits(&found->second);
                    slots[1] = 0;
                    break;
                }
                case Preset::Kind::PushConstants:
                    slots[0] = asBits(&m_memory.pushConstants);
                    slots[1] = 0;
                    break;
                case Preset::Kind::InputArray:
                case Preset::Kind::InputPayload:
                    break;  // see prepare()
            }
        }
    }
}

void Machine::writeBuiltIns(Lane& lane, uint32_t index, const WorkgroupInput& input)
{
    const uint32_t x = m_localSize[0];
    const uint32_t y = m_localSize[1];
    const Grid local = {index % x, index / x % y, index / (x * y)};
    for (const BuiltInVariable& variable : m_program.builtIns) {
        Grid value{};
        switch (variable.builtIn) {
            case spv::BuiltInLocalInvocationIndex:
                value[0] = index;
                break;
            case spv::BuiltInLocalInvocationId:
                value = local;
                break;
            case spv::BuiltInWorkgroupId:
                value = input.id;
                break;
            case spv::BuiltInGlobalInvocationId:
                for (size_t i = 0; i < 3; ++i)
                    value[i] = input.id[i] * m_localSize[i] + local[i];
                break;
            case spv::BuiltInRemainingRecursionLevelsAMDX:
                value[0] = input.remaining;
                break;
            case spv::BuiltInShaderIndexAMDX:
                value[0] = input.shaderIndex;
                break;
            default:
                throw UnsupportedError(std::string("built-in ") + spv::BuiltInToString(variable.builtIn));
        }
        std::memcpy(lane.memory.data + variable.offset, value.data(), size_t{variable.components} * 4);
    }
}

void Machine::prepare(const WorkgroupInput& input, std::minstd_rand& random)
{
    // Undefined memory holds something else each time, so that a result that depends on it shows.
    std::ranges::fill(m_laneStorage, static_cast<uint8_t>(random() >> 8));
    std::ranges::fill(m_groupStorage, static_cast<uint8_t>(random() >> 8));
    m_meshCounts = {};
    for (const auto& [offset, size] : m_program.zeroGroupMemory)
        std::memset(m_groupStorage.data() + offset, 0, size);
    for (uint32_t i = 0; i < m_lanes.size(); ++i) {
        Lane& lane = m_lanes[i];
        lane.at = m_program.entry;
        lane.finished = false;
        lane.returns.clear();
        for (const auto& [offset, size] : m_program.zeroLaneMemory)
            std::memset(lane.memory.data + offset, 0, size);
        writeBuiltIns(lane, i, input);
        for (const Preset& item : m_program.presets) {
            if (item.kind == Preset::Kind::InputArray) {
                lane.slots[item.slot] = asBits(input.payloads);
            } else if (item.kind == Preset::Kind::InputPayload) {
                lane.slots[item.slot] = asBits(&input.payloads->items[0]->block);
                lane.slots[item.slot + 1] = 0;
            }
        }
    }
}

void Machine::run(const WorkgroupInput& input, NodeActions& actions, std::minstd_rand& random)
{
    m_actions = &actions;
    m_jumpBudget = kJumpsPerWorkgroup;
    prepare(input, random);
    while (true) {
        size_t waiting = 0;
        for (Lane& lane : m_lanes) {
            if (!lane.finished)
                runLane(lane);
            waiting += !lane.finished;
        }
        if (waiting == 0)
            return;
        for (const Lane& lane : m_lanes)
            if (lane.finished || lane.at != m_lanes[0].at || lane.returns != m_lanes[0].returns)
                throw RuleError("collective instruction in control flow that is not uniform");
        runCollective();
    }
}

uint8_t* Machine::physical(uint64_t address, uint64_t size)
{
    for (const auto& [start, block] : m_memory.addresses)
        if (address >= start && address + size <= start + block->size)
            return block->data + (address - start);
    throw RuleError("access to an address outside of all buffers");
}

uint8_t* Machine::access(const uint64_t* pointer, uint64_t offset, uint64_t size, bool write)
{
    Block* block = asPointer<Block>(pointer[0]);
    if (!block)
        return physical(pointer[1] + offset, size);
    const uint64_t at = pointer[1] + offset;
    if (block->locked)
        throw RuleError("payload touched after it was enqueued");
    if (write && block->readOnly)
        throw RuleError("write to a shared input");
    if (at + size > block->size)
        throw RuleError("access to bytes " + std::to_string(at) + " to " + std::to_string(at + size) + " of " +
                        std::to_string(block->size));
    return block->data + at;
}

void Machine::runElement(const Operation& operation, uint64_t* slots)
{
    PayloadArray* array = asPointer<PayloadArray>(slots[operation.where.a]);
    const uint64_t index = slots[operation.where.b];
    if (!array)
        throw RuleError("payload array that was never allocated");
    if (array->enqueued)
        throw RuleError("payload array used after it was enqueued");
    if (index >= array->items.size())
        throw RuleError("element " + std::to_string(index) + " of " + std::to_string(array->items.size()) +
                        " payloads");
    slots[operation.where.destination] = asBits(&array->items[index]->block);
    slots[operation.where.destination + 1] = 0;
}

void Machine::runIndex(const Operation& operation, uint64_t* slots)
{
    const uint64_t index = slots[operation.where.b];
    if (operation.where.c != 0 && index >= operation.where.c)
        throw RuleError("element " + std::to_string(index) + " of an array of " + std::to_string(operation.where.c));
    const uint64_t pointer[] = {slots[operation.where.a], slots[operation.where.a + 1]};
    slots[operation.where.destination] = pointer[0];
    slots[operation.where.destination + 1] = pointer[1] + index * operation.immediate;
}

uint32_t Machine::switchTarget(const Operation& operation, uint64_t value) const
{
    const SwitchTable& table = m_program.tables[operation.immediate];
    for (const auto& [key, target] : table.cases)
        if (key == value)
            return target;
    return table.otherwise;
}

void Machine::runAtomic(const Operation& operation, uint64_t* slots)
{
    const auto op = static_cast<spv::Op>(operation.target);
    const uint32_t bytes = operation.width / 8;
    uint8_t* where = access(slots + operation.where.a, 0, bytes, op != spv::OpAtomicLoad);
    const uint64_t old = readNumber(where, bytes);
    const uint64_t next = applyAtomic(op, operation.width, old, slots[operation.where.b], slots[operation.where.c]);
    std::memcpy(where, &next, bytes);
    slots[operation.where.destination] = old;
}

bool Machine::runMemory(const Operation& operation, uint64_t* slots)
{
    const ArithmeticOperands& where = operation.where;
    const uint32_t bytes = operation.width / 8;
    switch (operation.code) {
        case Code::Offset: {
            const uint64_t block = slots[where.a];
            slots[where.destination + 1] = slots[where.a + 1] + operation.immediate;
            slots[where.destination] = block;
            return true;
        }
        case Code::Index:
            runIndex(operation, slots);
            return true;
        case Code::Element:
            runElement(operation, slots);
            return true;
        case Code::Load: {
            const uint8_t* from = access(slots + where.a, operation.immediate, uint64_t{bytes} * where.count, false);
            for (uint32_t i = 0; i < where.count; ++i)
                slots[where.destination + i] = readNumber(from + size_t{i} * bytes, bytes);
            return true;
        }
        case Code::Store: {
            uint8_t* to = access(slots + where.a, operation.immediate, uint64_t{bytes} * where.count, true);
            for (uint32_t i = 0; i < where.count; ++i)
                std::memcpy(to + size_t{i} * bytes, &slots[where.b + i], bytes);
            return true;
        }
        case Code::LoadAddress: {
            const uint64_t address = readNumber(access(slots + where.a, operation.immediate, 8, false), 8);
            slots[where.destination] = 0;
            slots[where.destination + 1] = address;
            return true;
        }
        case Code::StoreAddress:
            std::memcpy(access(slots + where.a, operation.immediate, 8, true), &slots[where.b + 1], 8);
            return true;
        case Code::RuntimeLength: {
            const Block* block = asPointer<Block>(slots[where.a]);
            if (!block)
                throw RuleError("OpArrayLength of a device address");
            slots[where.destination] = (block->size - slots[where.a + 1] - operation.immediate) / where.b;
            return true;
        }
        case Code::PayloadLength: {
            const PayloadArray* array = asPointer<PayloadArray>(slots[where.a]);
            if (!array)
                throw RuleError("length of a payload array that was never allocated");
            slots[where.destination] = array->items.size();
            return true;
        }
        case Code::Atomic:
            runAtomic(operation, slots);
            return true;
        case Code::Valid:
            slots[where.destination] = m_actions->isValid(operation.target, static_cast<uint32_t>(slots[where.a]));
            return true;
        default:
            return false;
    }
}

void Machine::runLane(Lane& lane)
{
    const Operation* operations = m_program.operations.data();
    uint64_t* slots = lane.slots;
    uint32_t at = lane.at;
    while (true) {
        const Operation& operation = operations[at++];
        const ArithmeticOperands& where = operation.where;
        ++m_operationCount;
        switch (operation.code) {
            case Code::Apply:
                operation.function(slots, where);
                break;
            case Code::Copy:
                std::memmove(slots + where.destination, slots + where.a, size_t{where.count} * 8);
                break;
            case Code::ExtractDynamic:
            case Code::InsertDynamic: {
                const bool insert = operation.code == Code::InsertDynamic;
                const uint64_t index = slots[insert ? where.c : where.b];
                if (index >= where.count)
                    throw RuleError("vector component " + std::to_string(index));
                if (insert) {
                    std::memmove(slots + where.destination, slots + where.a, size_t{where.count} * 8);
                    slots[where.destination + index] = slots[where.b];
                } else {
                    slots[where.destination] = slots[where.a + index];
                }
                break;
            }
            case Code::JumpIfNot:
                if (slots[where.a])
                    break;
                [[fallthrough]];
            case Code::Jump:
                at = operation.target;
                if (--m_jumpBudget == 0)
                    throw RuleError("endless loop");
                break;
            case Code::Switch:
                at = switchTarget(operation, slots[where.a]);
                break;
            case Code::Call:
                lane.returns.push_back(at);
                at = operation.target;
                break;
            case Code::Return:
                if (lane.returns.empty()) {
                    lane.finished = true;
                    return;
                }
                at = lane.returns.back();
                lane.returns.pop_back();
                break;
            case Code::Unreachable:
                throw RuleError("OpUnreachable was reached");
            case Code::Barrier:
            case Code::Allocate:
            case Code::Enqueue:
            case Code::Finish:
            case Code::SetMeshOutputs:
                lane.at = at - 1;
                return;
            default:
                runMemory(operation, slots);
                break;
        }
    }
}

void Machine::runCollective()
{
    const Operation& operation = m_program.operations[m_lanes[0].at];
    switch (operation.code) {
        case Code::Allocate:
            allocate(operation);
            break;
        case Code::Enqueue:
            enqueue(operation);
            break;
        case Code::Finish: {
            const bool last = m_actions->finishWriting();
            for (Lane& lane : m_lanes)
                lane.slots[operation.where.destination] = last;
            break;
        }
        case Code::SetMeshOutputs:
            setMeshOutputs(operation);
            break;
        default:
            break;  // barrier
    }
    for (Lane& lane : m_lanes)
        ++lane.at;
}

void Machine::allocate(const Operation& operation)
{
    const auto count = [&](const Lane& lane) { return static_cast<uint32_t>(lane.slots[operation.where.a]); };
    const auto index = [&](const Lane& lane) { return static_cast<uint32_t>(lane.slots[operation.where.b]); };
    PayloadArray* shared = nullptr;
    if (operation.width == spv::ScopeWorkgroup) {
        for (const Lane& lane : m_lanes)
            if (count(lane) != count(m_lanes[0]) || index(lane) != index(m_lanes[0]))
                throw RuleError("payload count or node index is not uniform within the workgroup");
        shared = m_actions->allocate(operation.target, count(m_lanes[0]), index(m_lanes[0]));
    }
    for (Lane& lane : m_lanes) {
        PayloadArray* array = shared ? shared : m_actions->allocate(operation.target, count(lane), index(lane));
        lane.slots[operation.where.destination] = asBits(array);
        lane.slots[operation.where.destination + 1] = 0;
    }
}

void Machine::setMeshOutputs(const Operation& operation)
{
    const uint64_t* first = m_lanes[0].slots;
    for (const Lane& lane : m_lanes)
        if (lane.slots[operation.where.a] != first[operation.where.a] ||
            lane.slots[operation.where.b] != first[operation.where.b])
            throw RuleError("mesh output counts are not uniform within the workgroup");
    m_meshCounts = {static_cast<uint32_t>(first[operation.where.a]), static_cast<uint32_t>(first[operation.where.b])};
    m_actions->setMeshOutputs(m_meshCounts[0], m_meshCounts[1]);
}

void Machine::enqueue(const Operation& operation)
{
    std::vector<PayloadArray*> done;
    for (Lane& lane : m_lanes) {
        PayloadArray* array = asPointer<PayloadArray>(lane.slots[operation.where.a]);
        if (!array || array->isInput)
            throw RuleError("enqueue of something that was not allocated");
        // The invocations of a workgroup pass the same array if it was allocated with workgroup scope.
        if (!done.empty() && done.back() == array)
            continue;
        m_actions->enqueue(array);
        done.push_back(array);
    }
}

uint64_t applyAtomic(spv::Op op, uint32_t width, uint64_t old, uint64_t value, uint64_t comparator)
{
    const auto asSigned = [width](uint64_t bits) { return static_cast<int64_t>(bits << (64 - width)) >> (64 - width); };
    const uint64_t mask = widthMask(width);
    switch (op) {
        case spv::OpAtomicLoad:
            return old;
        case spv::OpAtomicStore:
        case spv::OpAtomicExchange:
            return value;
        case spv::OpAtomicCompareExchange:
            return old == comparator ? value : old;
        case spv::OpAtomicIIncrement:
            return (old + 1) & mask;
        case spv::OpAtomicIDecrement:
            return (old - 1) & mask;
        case spv::OpAtomicIAdd:
            return (old + value) & mask;
        case spv::OpAtomicISub:
            return (old - value) & mask;
        case spv::OpAtomicSMin:
            return asSigned(value) < asSigned(old) ? value : old;
        case spv::OpAtomicUMin:
            return value < old ? value : old;
        case spv::OpAtomicSMax:
            return asSigned(value) > asSigned(old) ? value : old;
        case spv::OpAtomicUMax:
            return value > old ? value : old;
        case spv::OpAtomicAnd:
            return old & value;
        case spv::OpAtomicOr:
            return old | value;
        case spv::OpAtomicXor:
            return old ^ value;
        case spv::OpAtomicFAddEXT:
            if (width == 32)
                return std::bit_cast<uint32_t>(std::bit_cast<float>(static_cast<uint32_t>(old)) +
                                               std::bit_cast<float>(static_cast<uint32_t>(value)));
            return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
        default:
            throw UnsupportedError(std::string("atomic ") + spv::OpToString(op));
    }
}

}  // namespace millrace::oracle
