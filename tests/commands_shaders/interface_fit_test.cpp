// SPDX-License-Identifier: Apache-2.0
// Which stages may draw together: those of which each declares what the next one reads.
#include "commands_shaders/variant_text.h"

namespace millrace::commands {

namespace {

struct Side {
    std::string annotations;
    std::string globals;
    std::string interface = "%v";
};

StageCode stage(spv::ExecutionModel model, const char* name, const char* modes, const Side& side)
{
    ShaderText text;
    text.model = name;
    text.modes = modes;
    text.interface = side.interface;
    text.annotations = side.annotations;
    text.globals = side.globals;
    return {model, "main", text.words()};
}

Side output(const std::string& type, const std::string& annotations)
{
    return {annotations, "%p = OpTypePointer Output " + type + "\n%v = OpVariable %p Output\n"};
}

Side input(const std::string& type, const std::string& annotations)
{
    return {annotations + "\nOpDecorate %v Flat", "%p = OpTypePointer Input " + type + "\n%v = OpVariable %p Input\n"};
}

bool fit(const Side& vertex, const Side& fragment)
{
    return fitTogether(
        {stage(spv::ExecutionModel::Fragment, "Fragment", "OpExecutionMode %main OriginUpperLeft", fragment),
         stage(spv::ExecutionModel::Vertex, "Vertex", "", vertex)});
}

const std::string kAtTwo = "OpDecorate %v Location 2";

}  // namespace

TEST(InterfaceFit, Locations_AreToBeThere)
{
    EXPECT_TRUE(fit(output("%uint", kAtTwo), input("%uint", kAtTwo)));
    EXPECT_FALSE(fit(output("%uint", "OpDecorate %v Location 1"), input("%uint", kAtTwo)));
    EXPECT_TRUE(fit(output("%uint", kAtTwo), {"", "", ""}));
    EXPECT_FALSE(fit({"", "", ""}, input("%uint", kAtTwo)));
}

// Outputs may have more (maintenance4).
TEST(InterfaceFit, Components_AreToBeThere)
{
    EXPECT_TRUE(fit(output("%v4uint", kAtTwo), input("%v2uint", kAtTwo)));
    EXPECT_FALSE(fit(output("%v2uint", kAtTwo), input("%v3uint", kAtTwo)));
    const std::string later = kAtTwo + "\nOpDecorate %v Component 2";
    EXPECT_TRUE(fit(output("%v4uint", kAtTwo), input("%v2uint", later)));
    EXPECT_FALSE(fit(output("%v2uint", kAtTwo), input("%uint", later)));
}

TEST(InterfaceFit, Arrays_TakeALocationForEachElement)
{
    const auto array = [](Side side, const std::string& length) {
        side.globals = "%array = OpTypeArray %v2uint " + length + "\n" + side.globals;
        return side;
    };
    EXPECT_TRUE(fit(array(output("%array", kAtTwo), "%u3"), array(input("%array", kAtTwo), "%u2")));
    EXPECT_FALSE(fit(array(output("%array", kAtTwo), "%u2"), array(input("%array", kAtTwo), "%u3")));
    EXPECT_TRUE(fit(array(output("%array", kAtTwo), "%u2"), input("%uint", "OpDecorate %v Location 3")));
    EXPECT_FALSE(fit(array(output("%array", kAtTwo), "%u2"), input("%uint", "OpDecorate %v Location 4")));
}

// What the length becomes when the shaders are created may fit.
TEST(InterfaceFit, ArraysOfSpecializedLength_Fit)
{
    const auto array = [](Side side, uint32_t length) {
        side.annotations += "\nOpDecorate %length SpecId 0";
        side.globals = "%length = OpSpecConstant %uint " + std::to_string(length) +
                       "\n%array = OpTypeArray %v2uint %length\n" + side.globals;
        return side;
    };
    EXPECT_TRUE(fit(array(output("%array", kAtTwo), 1), input("%uint", "OpDecorate %v Location 7")));
    EXPECT_TRUE(fit(output("%v2uint", kAtTwo), array(input("%array", kAtTwo), 5)));
}

TEST(InterfaceFit, MembersOfBlocks_FollowEachOtherOrHaveTheirOwn)
{
    const auto block = [](Side side, const std::string& members) {
        side.annotations += "\nOpDecorate %block Block" + members;
        side.globals = "%block = OpTypeStruct %v3uint %uint %v2uint\n" + side.globals;
        return side;
    };
    const Side following = block(output("%block", kAtTwo), "");
    EXPECT_TRUE(fit(following, input("%v2uint", "OpDecorate %v Location 4")));
    EXPECT_FALSE(fit(following, input("%v2uint", "OpDecorate %v Location 3")));
    const std::string own =
        "\nOpMemberDecorate %block 0 Location 5\nOpMemberDecorate %block 1 Location 5\n"
        "OpMemberDecorate %block 1 Component 3\nOpMemberDecorate %block 2 Location 0";
    EXPECT_TRUE(fit(block(output("%block", ""), own), input("%v4uint", "OpDecorate %v Location 5")));
    EXPECT_FALSE(fit(block(output("%block", ""), own), input("%uint", "OpDecorate %v Location 6")));
}

TEST(InterfaceFit, BuiltIns_AreNoLocations)
{
    EXPECT_TRUE(fit({"", "", ""}, {"OpDecorate %v BuiltIn FragCoord",
                                   "%v4float = OpTypeVector %float 4\n%p = OpTypePointer Input %v4float\n"
                                   "%v = OpVariable %p Input\n"}));
}

TEST(InterfaceFit, CodeThatCannotBeRead_IsLeftToWhoeverMakesAVariant)
{
    EXPECT_TRUE(fitTogether({{spv::ExecutionModel::Vertex, "main", {1, 2, 3}}}));
}

}  // namespace millrace::commands
