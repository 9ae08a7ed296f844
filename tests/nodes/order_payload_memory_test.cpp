// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/order_payload_memory.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

class OrderPayloadMemory : public PassTest {
protected:
    void expect(const std::string& before, const std::string& after, uint32_t packWidth = 0)
    {
        ModuleText module;
        module.globals = R"(
            %acquire = OpConstant %uint 2
            %acqrel = OpConstant %uint 8
            %acqrel_wg = OpConstant %uint 264
            %acqrel_out = OpConstant %uint 4104)";
        module.body = before;
        const auto words = spirv::assemble(module.text());
        ASSERT_TRUE(words) << words.error().text();
        auto read = spirv::read(*words);
        ASSERT_TRUE(read);
        shader = {};
        shader.module = std::move(*read);
        shader.node.decided.packWidth = packWidth;
        shader.node.declared.mode = graph::LaunchMode::Coalescing;
        ASSERT_TRUE(orderPayloadMemory(shader));
        const std::string once = functions();
        EXPECT_TRUE(isSameCode(
            once, "%main = OpFunction %void None %func\n%entry = OpLabel\n" + after + "\nOpReturn\nOpFunctionEnd\n"));
        ASSERT_TRUE(orderPayloadMemory(shader));
        EXPECT_EQ(functions(), once) << "a second run changes nothing";
    }
};

}  // namespace

TEST_F(OrderPayloadMemory, NoModifyRelaxed)
{
    expect(R"(
        %p = OpAccessChain %sb_uint %out %u0 %u1
        %a = OpAtomicIAdd %uint %p %u1 %u0 %u1
        OpControlBarrier %u2 %u2 %u0)",
           R"(
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1
        %a = OpAtomicIAdd %uint %p %uint_1 %uint_0 %uint_1
        OpControlBarrier %uint_2 %uint_2 %uint_0)");
}

TEST_F(OrderPayloadMemory, Barriers_AlsoOrderBuffers)
{
    expect(R"(
        OpControlBarrier %u2 %u2 %acqrel_wg
        OpMemoryBarrier %u1 %acqrel)",
           R"(
        OpControlBarrier %uint_2 %uint_2 %uint_328
        OpMemoryBarrier %uint_1 %uint_72)");
}

TEST_F(OrderPayloadMemory, OutputMemory_IsReplaced)
{
    expect("OpMemoryBarrier %u2 %acqrel_out", "OpMemoryBarrier %uint_2 %uint_72");
}

TEST_F(OrderPayloadMemory, Atomics_AlsoOrderBuffers)
{
    expect(R"(
        %p = OpAccessChain %sb_uint %out %u0 %u1
        %a = OpAtomicIAdd %uint %p %u1 %acqrel %u1
        %b = OpAtomicCompareExchange %uint %p %u1 %acqrel %acquire %u1 %u2)",
           R"(
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1
        %a = OpAtomicIAdd %uint %p %uint_1 %uint_72 %uint_1
        %b = OpAtomicCompareExchange %uint %p %uint_1 %uint_72 %uint_66 %uint_1 %uint_2)");
}

TEST_F(OrderPayloadMemory, Packed_HasNoBarriersOfControl)
{
    expect(R"(
        OpControlBarrier %u2 %u2 %acqrel_wg
        OpControlBarrier %u2 %u2 %u0)",
           "OpMemoryBarrier %uint_2 %uint_328", 64);
}

}  // namespace millrace::nodes
