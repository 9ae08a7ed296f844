// SPDX-License-Identifier: Apache-2.0
// Every operation of DXIL 1.9 that compute, node, mesh and amplification shaders may have is translated, or refused by
// name and place: those that are refused are listed here.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "dxil/control_flow.h"
#include "dxil/emitter.h"
#include "dxil/operation_table.h"

namespace millrace::dxil {

namespace {

constexpr uint32_t kLastOpcode = 311;  // of shader model 6.9

// Ray queries and sampler feedback are not what these shaders are translated for.
bool isRefused(const std::string& name)
{
    return name.starts_with("RayQuery_") || name.starts_with("AllocateRayQuery") ||
           name.starts_with("WriteSamplerFeedback");
}

// A program of one call.
struct Program {
    Module module;
    ProgramInfo info;
    EntryPoint entry;

    const Type* type(Type::Kind kind, uint32_t bits)
    {
        module.types.emplace_back();
        module.types.back().kind = kind;
        module.types.back().bits = bits;
        return &module.types.back();
    }

    Program(const Operation& operation, ShaderKind kind)
    {
        const Type* word = type(Type::Kind::Int, 32);
        Function& callee = *module.functions.emplace_back(std::make_unique<Function>());
        callee.name = std::string("dx.op.") + operation.function;
        Function& main = *module.functions.emplace_back(std::make_unique<Function>());
        main.name = "main";
        main.resultType = type(Type::Kind::Void, 0);
        Block* block = module.newBlock(main);
        Value* call = module.newInstruction(main, Op::Call, word);
        call->function = &callee;
        call->parent = block;
        for (uint32_t o = 0; o < operation.operandCount(); ++o) {
            Value* operand = module.newValue(o == 0 ? Value::Kind::Int : Value::Kind::Undef, word);
            operand->bits = operation.opcode;
            call->operands.push_back(operand);
        }
        Value* end = module.newInstruction(main, Op::Return, main.resultType);
        end->parent = block;
        block->instructions = {call, end};
        entry.name = "main";
        entry.function = &main;
        entry.kind = kind;
        entry.node.launch = LaunchType::Broadcasting;
    }

    // The reason, or nothing.
    std::string translate()
    {
        std::unordered_map<const Function*, Structure> structures;
        EXPECT_TRUE(deriveStructure(module, *entry.function, structures[entry.function]));
        const EmitterOptions options;
        const Status done = Emitter(module, info, entry, options).run(structures);
        return done ? "" : done.error().text();
    }
};

TEST(Operations, AreTranslatedOrRefusedByNameAndPlace)
{
    size_t translated = 0;
    size_t refused = 0;
    for (const ShaderKind kind : {ShaderKind::Compute, ShaderKind::Node, ShaderKind::Mesh, ShaderKind::Amplification}) {
        for (uint32_t opcode = 0; opcode <= kLastOpcode; ++opcode) {
            const Operation* operation = findOperation(opcode);
            if (!operation || (operation->stages & 1u << static_cast<uint32_t>(kind)) == 0)
                continue;
            // The operands are no good, so that most are refused for those; the place is said in any case.
            const std::string reason = Program(*operation, kind).translate();
            const std::string refusal = std::string("the operation ") + operation->name + " is not supported";
            EXPECT_EQ(reason.find(refusal) != std::string::npos, isRefused(operation->name)) << reason;
            const std::string place = std::string("main, block 0, instruction 0: call dx.op.") + operation->function;
            EXPECT_TRUE(reason.empty() || reason.find(place) != std::string::npos) << operation->name << ": " << reason;
            (isRefused(operation->name) ? refused : translated)++;
        }
    }
    EXPECT_GT(translated, 400u);
    EXPECT_GT(refused, 100u);
}

TEST(Operations, UnknownNumbersAreRefused)
{
    Operation unknown = *findOperation(0);
    unknown.opcode = 4711;
    EXPECT_NE(Program(unknown, ShaderKind::Compute).translate().find("operation 4711 is unknown (main, block 0"),
              std::string::npos);
}

TEST(Operations, OperandsAreCounted)
{
    Operation few = *findOperation(311);
    few.signature = "ei";
    EXPECT_NE(Program(few, ShaderKind::Compute).translate().find("the operation FDot with 1 operands (main"),
              std::string::npos);
}

}  // namespace

}  // namespace millrace::dxil
