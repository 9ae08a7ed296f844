// SPDX-License-Identifier: Apache-2.0
// Two nodes in one module whose payloads have members of other widths than 32 bits, or addresses.
#include "nodes/fuse_nodes.h"
#include "nodes/fuse_test.h"

namespace millrace::nodes {

namespace {

// {uint, then `type` at offset 8}, read and written whole.
NodeSource withMember(NodeSource source, const std::string& type, const std::string& more)
{
    source.item =
        more + "\n%Item = OpTypeStruct %uint " + type + "\n%np_member = OpTypePointer NodePayloadAMDX " + type;
    const size_t at = source.itemDecorations.find("OpMemberDecorate %Item 1 Offset 4");
    source.itemDecorations.replace(at, 33, "OpMemberDecorate %Item 1 Offset 8");
    return source;
}

// Those that the capability allows.
std::string smallTypes(const std::string& capability)
{
    if (capability.find("8") != std::string::npos)
        return "%byte = OpTypeInt 8 0";
    std::string out;
    if (capability.find("Float16") == std::string::npos)
        out += "%ushort = OpTypeInt 16 0\n%short = OpTypeInt 16 1\n%ushort2 = OpTypeVector %ushort 2\n";
    if (capability.find("Int16") == std::string::npos)
        out += "%half = OpTypeFloat 16";
    return out;
}

}  // namespace

TEST_F(Fuse, Members64)
{
    const std::string more = "%ulong = OpTypeInt 64 0\n%long_one = OpConstant %ulong 1";
    NodeSource from =
        withMember(producer(sends("%u1", "%u0", "%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %long_one")),
                   "%ulong", more);
    from.capabilities = "OpCapability Int64";
    NodeSource to = withMember(
        consumer(
            "%at = OpAccessChain %np_member %input %u0 %u1\n%long = OpLoad %ulong %at\n%key = OpUConvert %uint %long\n"
            "%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
        "%ulong", more);
    to.capabilities = "OpCapability Int64";
    fused(from, {{to}});
    // A double there is the same 64 bits.
    NodeSource real = withMember(
        consumer(
            "%at = OpAccessChain %np_member %input %u0 %u1\n%value = OpLoad %double %at\n"
            "%key = OpConvertFToU %uint %value\n%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
        "%double", "%double = OpTypeFloat 64");
    real.capabilities = "OpCapability Float64";
    fused(from, {{real}});
}

namespace {

// A producer and a consumer of a number of `bits` that the consumer writes out converted to 32 bits.
NodeSource smallProducer(const std::string& type, const std::string& capability)
{
    const std::string convert = type == "%half" ? "OpFConvert" : type == "%short" ? "OpSConvert" : "OpUConvert";
    const std::string from = type == "%half" ? "%real" : "%word";
    NodeSource out = withMember(
        producer(sends("%u3", "%u0",
                       "%word = OpIAdd %uint %lane %u3\n%real = OpConvertUToF %float %word\n%small = " + convert + " " +
                           type + " " + from + "\n%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %small\n")),
        type, smallTypes(capability));
    out.capabilities = capability;
    return out;
}

NodeSource smallConsumer(const std::string& type, const std::string& capability)
{
    const std::string convert = type == "%half"    ? "OpFConvert %float"
                                : type == "%short" ? "OpSConvert %int"
                                                   : "OpUConvert %uint";
    const std::string toKey = type == "%half" ? "OpConvertFToU" : type == "%short" ? "OpBitcast" : "OpCopyObject";
    NodeSource out = withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%small = OpLoad " + type +
                                         " %at\n%value = " + convert + " %small\n%key = " + toKey +
                                         " %uint %value\n%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word "
                                         "%u1\n"),
                                type, smallTypes(capability));
    out.capabilities = capability;
    return out;
}

}  // namespace

// Also where one of the modules may have them in buffers only, and holds them in 32 bits.
TEST_F(Fuse, SmallMembers)
{
    struct Case {
        std::string type, computes, stores;
    };
    for (const Case& c : {Case{"%ushort", "OpCapability Int16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%short", "OpCapability Int16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%half", "OpCapability Float16", "OpCapability StorageBuffer16BitAccess"},
                          Case{"%byte", "OpCapability Int8", "OpCapability StorageBuffer8BitAccess"}}) {
        for (const std::string& from : {c.computes, c.stores}) {
            for (const std::string& to : {c.computes, c.stores}) {
                SCOPED_TRACE(c.type + ": " + from + ", " + to);
                const std::string text = fused(smallProducer(c.type, from), {{smallConsumer(c.type, to)}});
                const bool computes = from == c.computes || to == c.computes;
                EXPECT_EQ(contains(text, c.computes + "\n"), computes);
            }
        }
    }
}

TEST_F(Fuse, SmallMembers_VectorsOfThem)
{
    for (const char* capability : {"OpCapability Int16", "OpCapability StorageBuffer16BitAccess"}) {
        const std::string types = smallTypes(capability);
        NodeSource from = withMember(producer(sends("%u1", "%u0",
                                                    "%pair = OpCompositeConstruct %uint2 %lane %u3\n"
                                                    "%small = OpUConvert %ushort2 %pair\n"
                                                    "%at = OpAccessChain %np_member %sent %u0 %u1\n"
                                                    "OpStore %at %small\n")),
                                     "%ushort2", types);
        NodeSource to =
            withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%small = OpLoad %ushort2 %at\n"
                                "%pair = OpUConvert %uint2 %small\n%key = OpCompositeExtract %uint %pair 1\n"
                                "%word = OpAccessChain %sb_uint %out %u0 %key\nOpStore %word %u1\n"),
                       "%ushort2", types);
        from.capabilities = to.capabilities = capability;
        fused(from, {{to}});
    }
}

TEST_F(Fuse, SmallMembers_OfWorkgroups)
{
    byWorkgroup = true;
    const std::string computes = "OpCapability Int16", stores = "OpCapability StorageBuffer16BitAccess";
    const auto groups = [](NodeSource source) {
        source.modes =
            "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1";
        return source;
    };
    for (const std::string& capability : {computes, stores})
        fused(smallProducer("%ushort", capability), {{groups(smallConsumer("%ushort", capability))}});
    // One variable serves both.
    EXPECT_TRUE(contains(refused(smallProducer("%ushort", computes), {{groups(smallConsumer("%ushort", stores))}}),
                         "the producer has another structure"));
}

// A module that may have them in buffers only may not take structures apart.
TEST_F(Fuse, SmallMembers_CopiedAsAWhole_AreRefused)
{
    const std::string stores = "OpCapability StorageBuffer16BitAccess";
    NodeSource to = withMember(consumer("%at = OpAccessChain %np_member %input %u0 %u1\n%all = OpLoad %Inner %at\n"
                                        "OpStore %at %all\n"),
                               "%Inner", smallTypes(stores) + "\n%Inner = OpTypeStruct %ushort");
    to.decorations = "OpMemberDecorate %Inner 0 Offset 0\n";
    to.capabilities = stores;
    NodeSource from = smallProducer("%ushort", stores);
    EXPECT_TRUE(contains(refused(from, {{to}}), "copies numbers as a whole"));
}

TEST_F(Fuse, Addresses)
{
    const std::string memoryModel = "OpMemoryModel PhysicalStorageBuffer64 GLSL450";
    const std::string capabilities = "OpCapability Int64\nOpCapability PhysicalStorageBufferAddresses";
    const std::string more =
        "%ulong = OpTypeInt 64 0\n%address = OpConstant %ulong 4096\n%Block = OpTypeStruct %uint\n"
        "%ps_Block = OpTypePointer PhysicalStorageBuffer %Block\n%ps_uint = OpTypePointer PhysicalStorageBuffer %uint";
    const std::string block = "OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n";
    NodeSource from = withMember(producer(sends("%u1", "%u0", R"(
%at = OpAccessChain %np_member %sent %u0 %u1
%pointer = OpConvertUToPtr %ps_Block %address
OpStore %at %pointer
)")),
                                 "%ps_Block", more);
    from.memoryModel = memoryModel;
    from.capabilities = capabilities;
    from.decorations = block;
    NodeSource to = withMember(consumer(R"(
%at = OpAccessChain %np_member %input %u0 %u1
%pointer = OpLoad %ps_Block %at
%word = OpAccessChain %ps_uint %pointer %u0
OpStore %word %u1 Aligned 4
)"),
                               "%ps_Block", more);
    to.memoryModel = memoryModel;
    to.capabilities = capabilities;
    to.decorations = block;
    fused(from, {{to}});
    // The address as a number, in a module without pointers.
    NodeSource number =
        withMember(producer(sends("%u1", "%u0", "%at = OpAccessChain %np_member %sent %u0 %u1\nOpStore %at %long_one")),
                   "%ulong", "%ulong = OpTypeInt 64 0\n%long_one = OpConstant %ulong 4096");
    number.capabilities = "OpCapability Int64";
    fused(number, {{to}});
}

}  // namespace millrace::nodes
