// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/drop_read_only.h"

#include "nodes/pass_test.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

class DropReadOnly : public PassTest {
protected:
    DropReadOnly()
    {
        ModuleText module;
        module.names = "OpName %image \"image\"";
        module.annotations = R"(
            OpDecorate %Data Block
            OpMemberDecorate %Data 0 Offset 0
            OpMemberDecorate %Data 0 NonWritable
            OpDecorate %data DescriptorSet 0
            OpDecorate %data Binding 0
            OpDecorate %data NonWritable
            OpDecorate %image DescriptorSet 0
            OpDecorate %image Binding 1
            OpDecorate %image NonWritable)";
        module.globals = R"(
            %Data = OpTypeStruct %uint
            %DataPointer = OpTypePointer StorageBuffer %Data
            %data = OpVariable %DataPointer StorageBuffer
            %Image = OpTypeImage %float 2D 0 0 0 2 Rgba8
            %ImagePointer = OpTypePointer UniformConstant %Image
            %image = OpVariable %ImagePointer UniformConstant)";
        load(module);
    }

    size_t readOnly()
    {
        const std::string all = text();
        size_t count = 0;
        for (size_t at = all.find("NonWritable"); at != all.npos; at = all.find("NonWritable", at + 1))
            ++count;
        return count;
    }
};

}  // namespace

TEST_F(DropReadOnly, Buffers_MayBeWritten_ImagesNot)
{
    options.target.dropsReadOnly = true;
    ASSERT_TRUE(dropReadOnly(shader, options.target));
    EXPECT_EQ(readOnly(), 1u) << text();
    EXPECT_NE(text().find("OpDecorate %image NonWritable"), std::string::npos) << text();
    const Status valid = spirv::validate(spirv::write(shader.module));
    EXPECT_TRUE(valid) << valid.error().text();
}

TEST_F(DropReadOnly, WhereTheDriverIsRight_StaysAsItIs)
{
    ASSERT_TRUE(dropReadOnly(shader, options.target));
    EXPECT_EQ(readOnly(), 3u) << text();
}

}  // namespace millrace::nodes
