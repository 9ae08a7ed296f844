// SPDX-License-Identifier: Apache-2.0
// Modules that no compiler would emit. None may crash; each gives a diagnostic that says what and where, or compiles.
#include <iterator>
#include <random>

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

Result<CompiledNode> lower(const spirv::Words& words)
{
    Options options;
    options.request.argumentsOffsetBytes = 96;
    return compile(words, options);
}

std::string refusal(const ModuleText& module)
{
    const auto result = lower(module.words());
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().text();
}

ModuleText withBody(const std::string& body)
{
    ModuleText module;
    module.body = body;
    return module;
}

}  // namespace

TEST(Hostile, EveryPrefix)
{
    const spirv::Words words = withBody(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a)")
                                   .words();
    for (size_t size = 0; size < words.size(); ++size)
        EXPECT_FALSE(lower(spirv::Words(words.begin(), words.begin() + static_cast<ptrdiff_t>(size)))) << size;
}

TEST(Hostile, EveryWordChanged)
{
    const spirv::Words words = withBody(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %p %u5
        OpEnqueueNodePayloadsAMDX %var
        %ok = OpIsNodePayloadValidAMDX %bool %ToRec %u0
        %n = OpNodePayloadArrayLengthAMDX %uint %input)")
                                   .words();
    std::mt19937 random(7);
    for (size_t at = 0; at < words.size(); ++at) {
        const uint32_t values[] = {
            0, 1, words[at] + 1, words[at] ^ 0x10000u, 0xffffffff, static_cast<uint32_t>(random() % 100)};
        spirv::Words changed = words;
        changed[at] = values[random() % std::size(values)];
        (void)lower(changed);
    }
}

TEST(Hostile, HugeStructures)
{
    // Each level doubles the members below: nothing must look at them path by path, and spirv-val does.
    ModuleText module;
    module.globals = "%S0 = OpTypeStruct %uint %uint\n";
    module.annotations = "OpMemberDecorate %S0 0 Offset 0\nOpMemberDecorate %S0 1 Offset 4\n";
    for (int level = 1; level < 60; ++level) {
        const std::string name = "%S" + std::to_string(level), inner = "%S" + std::to_string(level - 1);
        module.globals += name + " = OpTypeStruct " + inner + " " + inner + "\n";
        module.annotations += "OpMemberDecorate " + name + " 0 Offset 0\nOpMemberDecorate " + name + " 1 Offset 4\n";
    }
    module.globals += "%np_S = OpTypePointer NodePayloadAMDX %S59\n%deep = OpVariable %np_S NodePayloadAMDX";
    module.interface = "%deep";
    EXPECT_NE(refusal(module).find("too many members"), std::string::npos);
}

// What lower_fuzzer found: an id where the members' decorations that matter have a number.
TEST(Hostile, MemberDecorationWithAnId)
{
    ModuleText module;
    module.globals = "%Own = OpTypeStruct %uint\n";
    module.annotations = "OpMemberDecorate %Own 0 UniformId %u1\n";
    (void)lower(module.words());
}

TEST(Hostile, LargePayload_IsRefused)
{
    ModuleText module;
    module.annotations = "OpMemberDecorate %Far 0 Offset 4294967292";
    module.globals =
        "%Far = OpTypeStruct %uint\n%np_Far = OpTypePointer NodePayloadAMDX %Far\n"
        "%far = OpVariable %np_Far NodePayloadAMDX";
    module.interface = "%far";
    EXPECT_NE(refusal(module).find("too large"), std::string::npos);
}

TEST(Hostile, RecursiveFunctions)
{
    ModuleText module = withBody("%x = OpFunctionCall %void %f");
    module.functions = R"(
        %f = OpFunction %void None %func
        %f1 = OpLabel
        %y = OpFunctionCall %void %f
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpReturn
        OpFunctionEnd)";
    (void)lower(module.words());
}

TEST(Hostile, EntryPointThatIsCalled)
{
    ModuleText module = withBody("%x = OpFunctionCall %void %main");
    (void)lower(module.words());
}

TEST(Hostile, PayloadOfHandles_IsRefused)
{
    ModuleText module;
    module.globals =
        "%Box = OpTypeStruct %ToArr\n%np_Box = OpTypePointer NodePayloadAMDX %Box\n"
        "%box = OpVariable %np_Box NodePayloadAMDX";
    module.annotations = "OpMemberDecorate %Box 0 Offset 0";
    module.interface = "%box";
    EXPECT_NE(refusal(module), "");
}

TEST(Hostile, PointerIntoPayloadStored_IsRefused)
{
    ModuleText module = withBody(R"(
        %var = OpVariable %fn_ToArr Function
        %keep = OpVariable %fn_fn Function
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %keep %p)");
    module.globals = "%fn_fn = OpTypePointer Function %fn_uint";
    EXPECT_NE(refusal(module).find("stores a pointer into a payload"), std::string::npos);
}

TEST(Hostile, UnknownScope_IsRefused)
{
    ModuleText module = withBody(R"(
        %s = OpLoad %uint %lidx
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %s %u1 %u0)");
    EXPECT_NE(refusal(module), "");
}

TEST(Hostile, QueryOfSomethingElse_IsRefused)
{
    EXPECT_NE(refusal(withBody("%ok = OpIsNodePayloadValidAMDX %bool %u1 %u0")).find("no payload array"),
              std::string::npos);
}

TEST(Hostile, ModesWithOperandsOfAnother)
{
    for (const uint32_t mode : {5070u, 5071u, 5072u, 5073u, 5077u, 5102u}) {
        spirv::Words words = ModuleText().words();
        for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
            if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpExecutionModeId)) {
                words[at + 2] = mode;
                break;
            }
        }
        (void)lower(words);
    }
}

}  // namespace millrace::nodes
