// SPDX-License-Identifier: Apache-2.0
// Turns the functions of one entry point into operations. Functions cannot recurse, so every value of every function
// has slots of its own and a call copies nothing but its arguments.
#pragma once

#include <deque>
#include <set>

#include "oracle/layout.h"
#include "oracle/program.h"

namespace millrace::oracle {

class Translator {
public:
    Translator(const Module& module, const EntryPoint& entry);
    Program run();

private:
    // translator.cpp: values and functions
    uint32_t newSlots(uint32_t count);
    uint32_t newSlotsOfType(uint32_t type) { return newSlots(slotCount(m_module, type)); }
    uint32_t slotOf(uint32_t id);
    uint32_t zeroSlot();
    uint32_t typeOf(uint32_t id) const;
    uint32_t presetVariable(const ModuleVariable& variable);
    uint32_t laneVariable(uint32_t pointee);
    void addMeshVariables(const ModuleVariable& variable);
    void presetBuiltIn(const ModuleVariable& variable, uint64_t offset);
    void translateFunction(const Function& function);
    void translateInstruction(const Function& function, const BasicBlock& block, const Instruction& instruction);
    void patch();
    Operation& emit(Code code);
    void emitCopy(uint32_t destination, uint32_t source, uint32_t count);
    void emitApply(ArithmeticFunction function, const ArithmeticOperands& where);

    // translate_control.cpp
    bool translateControl(const Function& function, const BasicBlock& block, const Instruction& instruction);
    void translateCall(const Instruction& instruction);
    void translateConditional(const BasicBlock& block, const Instruction& instruction);
    void translateSwitch(const BasicBlock& block, const Instruction& instruction);
    // Emits the copies for the phis of `to` and a jump there.
    void emitEdge(uint32_t from, uint32_t to);

    // translate_memory.cpp
    bool translateMemory(const Instruction& instruction);
    void translateAccessChain(const Instruction& instruction);
    struct Walk;
    void step(Walk& walk, uint32_t index);
    void stepStructure(Walk& walk, uint32_t index);
    void stepArray(Walk& walk, uint32_t index);
    void flush(Walk& walk);
    void emitLoad(uint32_t destination, uint32_t pointer, uint32_t pointee, spv::StorageClass storage,
                  uint32_t matrixStride);
    void emitStore(uint32_t source, uint32_t pointer, uint32_t pointee, spv::StorageClass storage,
                   uint32_t matrixStride);
    void translateAtomic(const Instruction& instruction);
    void translateRuntimeLength(const Instruction& instruction);
    void copyMemory(const Instruction& instruction);

    // translate_nodes.cpp: the instructions of the extension
    bool translateNode(const Instruction& instruction);
    // Slots of the payload array that an operand stands for, however it is passed.
    uint32_t payloadArray(uint32_t id);
    uint32_t payloadArrayType(uint32_t id) const;

    // translate_values.cpp
    bool translateValue(const Instruction& instruction);
    bool translateComposite(const Instruction& instruction);
    bool translateMatrix(const Instruction& instruction);
    bool translateArithmetic(const Instruction& instruction);
    void translateConstruct(const Instruction& instruction);
    void translateShuffle(const Instruction& instruction);
    void translateBitcast(const Instruction& instruction);
    void translateSelect(const Instruction& instruction);
    void translateExtended(const Instruction& instruction);
    std::pair<uint32_t, uint32_t> part(uint32_t type, std::span<const uint32_t> indices) const;

    const Module& m_module;
    const EntryPoint& m_entry;
    Program m_program;
    std::map<uint32_t, uint32_t> m_slots;
    std::map<uint32_t, uint32_t> m_types;          // of results and parameters
    std::map<uint32_t, uint32_t> m_matrixStrides;  // of pointers into explicit memory
    std::map<uint32_t, uint32_t> m_labels;
    std::map<uint32_t, uint32_t> m_functions;  // first operation
    std::map<uint32_t, uint32_t> m_returnSlots;
    std::map<uint32_t, const BasicBlock*> m_blocks;
    std::deque<uint32_t> m_pending;
    std::set<uint32_t> m_requested;
    std::vector<std::pair<uint32_t, uint32_t>> m_jumps;  // operation, label
    std::vector<std::pair<uint32_t, uint32_t>> m_calls;  // operation, function
    uint32_t m_zero = ~0u;
};

}  // namespace millrace::oracle
