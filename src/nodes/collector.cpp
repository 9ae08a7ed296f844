// SPDX-License-Identifier: Apache-2.0
#include "nodes/collector.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>

#include "abi/mesh_nodes.h"

namespace millrace::nodes {

namespace {

constexpr uint32_t kWordBytes = 4;

static_assert(offsetof(abi::MeshNodeList, payloads) == 8 && offsetof(abi::MeshNodeList, counter) == 16 &&
              offsetof(abi::MeshNodeList, report) == 24 && offsetof(abi::MeshNodeList, capacity) == 32);
static_assert(offsetof(abi::MeshNodeReport, largeGrids) == 4 && sizeof(abi::MeshNodeCommand) == 12);

// Texts of ids are their names.
class Writer {
public:
    Writer(const graph::NodeDeclaration& mesh, uint32_t strideBytes, uint32_t maxGroups)
        : m_mesh(mesh),
          m_words(mesh.payloadBytes / kWordBytes),
          m_hasHalf(mesh.payloadBytes % kWordBytes >= 2),
          m_hasByte(mesh.payloadBytes % 2 == 1),
          m_strideWords(strideBytes / kWordBytes),
          m_maxGroups(maxGroups)
    {
    }

    std::string write()
    {
        // Types last: the others say which constants there are.
        const std::string body = writeBody();
        const std::string before = head() + annotations();
        return before + types() + body;
    }

private:
    std::string constant(uint32_t value)
    {
        const std::string name = "%u" + std::to_string(value);
        m_constants.emplace(value, name);
        return name;
    }

    std::string head()
    {
        std::string text = R"(
            OpCapability Shader
            OpCapability ShaderEnqueueAMDX
            OpCapability PhysicalStorageBufferAddresses
        )";
        text += std::string(m_hasHalf ? "OpCapability Int16\n" : "") + (m_hasByte ? "OpCapability Int8\n" : "");
        text += R"(
            OpExtension "SPV_AMDX_shader_enqueue"
            OpExtension "SPV_KHR_physical_storage_buffer"
            OpMemoryModel PhysicalStorageBuffer64 GLSL450
            OpEntryPoint GLCompute %main "main" %input %list
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionMode %main CoalescingAMDX
        )";
        if (!m_mesh.apiEntry)
            text += "OpExecutionModeId %main IsApiEntryAMDX %false\n";
        if (m_mesh.sharesInputWith) {
            text +=
                "OpExecutionModeId %main SharesInputWithAMDX %base " + constant(m_mesh.sharesInputWith->index) + "\n";
        }
        return text;
    }

    std::string annotations() const
    {
        std::string text = R"(
            OpDecorateId %inputs NodeMaxPayloadsAMDX %u1
            OpDecorate %List Block
            OpMemberDecorate %List 0 Offset 0
            OpMemberDecorate %List 1 Offset 8
            OpMemberDecorate %List 2 Offset 16
            OpMemberDecorate %List 3 Offset 24
            OpMemberDecorate %List 4 Offset 32
            OpMemberDecorate %Command 0 Offset 0
            OpMemberDecorate %Command 1 Offset 4
            OpMemberDecorate %Command 2 Offset 8
            OpDecorate %command_array ArrayStride 12
            OpDecorate %Commands Block
            OpMemberDecorate %Commands 0 Offset 0
            OpDecorate %word_array ArrayStride 4
            OpDecorate %Words Block
            OpMemberDecorate %Words 0 Offset 0
        )";
        const auto place = [&](uint32_t member, uint32_t bytes) {
            text += "OpMemberDecorate %Payload " + std::to_string(member) + " Offset " + std::to_string(bytes) + "\n";
        };
        if (m_words > 0) {
            text += "OpDecorate %payload_array ArrayStride 4\n";
            place(0, 0);
        }
        if (m_hasHalf)
            place(halfMember(), m_words * kWordBytes);
        if (m_hasByte)
            place(byteMember(), m_mesh.payloadBytes - 1);
        return text;
    }

    uint32_t halfMember() const { return m_words > 0 ? 1 : 0; }
    uint32_t byteMember() const { return halfMember() + (m_hasHalf ? 1 : 0); }

    // The payload: whole words, and what is behind them.
    std::string payloadTypes()
    {
        std::string text, members;
        if (m_words > 0) {
            text += "%payload_array = OpTypeArray %uint " + constant(m_words) + "\n";
            members += " %payload_array";
        }
        if (m_hasHalf) {
            text += "%ushort = OpTypeInt 16 0\n%node_ushort = OpTypePointer NodePayloadAMDX %ushort\n";
            members += " %ushort";
        }
        if (m_hasByte) {
            text += "%uchar = OpTypeInt 8 0\n%node_uchar = OpTypePointer NodePayloadAMDX %uchar\n";
            members += " %uchar";
        }
        return text + "%Payload = OpTypeStruct" + members + "\n%node_uint = OpTypePointer NodePayloadAMDX %uint\n";
    }

    std::string types()
    {
        std::string text = R"(
            %void = OpTypeVoid
            %bool = OpTypeBool
            %uint = OpTypeInt 32 0
            %uvec2 = OpTypeVector %uint 2
            %main_type = OpTypeFunction %void
            %false = OpConstantFalse %bool
        )";
        const std::string payload = payloadTypes();
        for (const uint32_t value : {0u, 1u, 2u, 3u, 4u, 16u})
            constant(value);
        for (const auto& [value, name] : m_constants)
            text += name + " = OpConstant %uint " + std::to_string(value) + "\n";
        text += payload;
        if (m_mesh.sharesInputWith)
            text += "%base = OpConstantStringAMDX \"" + escaped(m_mesh.sharesInputWith->name) + "\"\n";
        return text + R"(
            %inputs = OpTypeNodePayloadArrayAMDX %Payload
            %node_inputs = OpTypePointer NodePayloadAMDX %inputs
            %input = OpVariable %node_inputs NodePayloadAMDX
            %List = OpTypeStruct %uvec2 %uvec2 %uvec2 %uvec2 %uint
            %pushed_List = OpTypePointer PushConstant %List
            %pushed_uvec2 = OpTypePointer PushConstant %uvec2
            %pushed_uint = OpTypePointer PushConstant %uint
            %list = OpVariable %pushed_List PushConstant
            %Command = OpTypeStruct %uint %uint %uint
            %command_array = OpTypeRuntimeArray %Command
            %Commands = OpTypeStruct %command_array
            %word_array = OpTypeRuntimeArray %uint
            %Words = OpTypeStruct %word_array
            %to_Commands = OpTypePointer PhysicalStorageBuffer %Commands
            %to_Words = OpTypePointer PhysicalStorageBuffer %Words
            %to_uint = OpTypePointer PhysicalStorageBuffer %uint
        )";
    }

    static std::string escaped(const std::string& name)
    {
        std::string text;
        for (const char c : name)
            text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        return text;
    }

    // A pointer that a member of the list holds.
    std::string follow(const std::string& name, uint32_t member, const std::string& type) const
    {
        return "%" + name + "_at = OpAccessChain %pushed_uvec2 %list %u" + std::to_string(member) + "\n%" + name +
               "_pair = OpLoad %uvec2 %" + name + "_at\n%" + name + " = OpBitcast %to_" + type + " %" + name +
               "_pair\n";
    }

    bool hasTail() const { return m_hasHalf || m_hasByte; }

    // %tail: the bytes behind the whole words, as one.
    std::string tail()
    {
        std::string text;
        const auto load = [&](const std::string& name, const std::string& type, uint32_t member) {
            text += name + "_at = OpAccessChain %node_" + type + " %input %u0 " + constant(member) + "\n" + name +
                    "_value = OpLoad %" + type + " " + name + "_at\n" + name + " = OpUConvert %uint " + name +
                    "_value\n";
        };
        if (m_hasHalf)
            load("%half", "ushort", halfMember());
        if (m_hasByte)
            load("%byte", "uchar", byteMember());
        if (m_hasHalf && m_hasByte)
            return text + "%shifted = OpShiftLeftLogical %uint %byte %u16\n%tail = OpBitwiseOr %uint %half %shifted\n";
        return hasTail() ? text + "%tail = OpCopyObject %uint " + (m_hasHalf ? "%half" : "%byte") + "\n" : text;
    }

    // One component of a grid that is a member of the payload, of 1, 2 or 4 bytes inside a word.
    std::string component(const std::string& name, uint32_t number)
    {
        const graph::GridMember& grid = m_mesh.grid;
        if (number >= grid.components)
            return name + " = OpCopyObject %uint %u1\n";
        const uint32_t byte = grid.offsetBytes + number * grid.componentBytes;
        std::string text = byte / kWordBytes == m_words
                               ? name + "_word = OpCopyObject %uint %tail\n"
                               : name + "_at = OpAccessChain %node_uint %input %u0 %u0 " + constant(byte / kWordBytes) +
                                     "\n" + name + "_word = OpLoad %uint " + name + "_at\n";
        if (grid.componentBytes == kWordBytes)
            return text + name + " = OpCopyObject %uint " + name + "_word\n";
        return text + name + " = OpBitFieldUExtract %uint " + name + "_word " + constant(byte % kWordBytes * 8) + " " +
               constant(grid.componentBytes * 8) + "\n";
    }

    // %x, %y, %z, and %fits: within the limits. Products are taken only of what is, so that none overflows.
    std::string grid()
    {
        std::string text;
        const std::array<std::string, 3> names = {"%x", "%y", "%z"};
        const bool isStatic = m_mesh.mode == graph::LaunchMode::Static;
        for (uint32_t i = 0; i < 3; ++i) {
            text += isStatic ? names[i] + " = OpCopyObject %uint " + constant(m_mesh.staticGrid[i]) + "\n"
                             : component(names[i], i);
        }
        for (uint32_t i = 0; i < 3; ++i) {
            const uint32_t most = isStatic ? m_mesh.staticGrid[i] : m_mesh.maxGrid[i];
            text += names[i] + "_fits = OpULessThanEqual %bool " + names[i] + " " + constant(most) + "\n";
        }
        // x and y are below 2^16 where they fit. Without a product of all three, which may not.
        text += "%xy = OpIMul %uint %x %y\n";
        text += "%xy_fits = OpULessThanEqual %bool %xy " + constant(m_maxGroups) + "\n";
        text += "%is_flat = OpIEqual %bool %z %u0\n%depth = OpSelect %uint %is_flat %u1 %z\n";
        text += "%share = OpUDiv %uint " + constant(m_maxGroups) + " %depth\n";
        text += "%all_fit = OpULessThanEqual %bool %xy %share\n";
        text +=
            "%f1 = OpLogicalAnd %bool %x_fits %y_fits\n%f2 = OpLogicalAnd %bool %f1 %z_fits\n"
            "%f3 = OpLogicalAnd %bool %f2 %xy_fits\n%fits = OpLogicalAnd %bool %f3 %all_fit\n";
        return text;
    }

    std::string store(const std::string& name, uint32_t member)
    {
        const std::string number = std::to_string(member);
        return "%c" + number + " = OpSelect %uint %fits " + name + " %u0\n%c" + number +
               "_at = OpAccessChain %to_uint %commands %u0 %number %u" + number + "\nOpStore %c" + number + "_at %c" +
               number + " Aligned 4\n";
    }

    std::string copy()
    {
        if (m_words == 0 && !hasTail())
            return {};
        std::string text =
            follow("payloads", 1, "Words") + "%first = OpIMul %uint %number " + constant(m_strideWords) + "\n";
        text += m_words > 0 ? copyWords() : std::string();
        if (hasTail()) {
            text += "%tail_place = OpIAdd %uint %first " + constant(m_words) +
                    "\n%tail_to = OpAccessChain %to_uint %payloads %u0 %tail_place\nOpStore %tail_to %tail Aligned 4\n";
        }
        return text;
    }

    std::string copyWords()
    {
        return R"(
            OpBranch %header
            %header = OpLabel
            %i = OpPhi %uint %u0 %keep %next_i %next
            OpLoopMerge %copied %next None
            OpBranch %check
            %check = OpLabel
            %more = OpULessThan %bool %i )" +
               constant(m_words) + R"(
            OpBranchConditional %more %one_word %copied
            %one_word = OpLabel
            %from = OpAccessChain %node_uint %input %u0 %u0 %i
            %word = OpLoad %uint %from
            %place = OpIAdd %uint %first %i
            %to = OpAccessChain %to_uint %payloads %u0 %place
            OpStore %to %word Aligned 4
            OpBranch %next
            %next = OpLabel
            %next_i = OpIAdd %uint %i %u1
            OpBranch %header
            %copied = OpLabel
        )";
    }

    // Adds 1 to a word of the report if the condition holds.
    static std::string report(const std::string& name, const std::string& condition, uint32_t word)
    {
        return "OpSelectionMerge %" + name + "_end None\nOpBranchConditional " + condition + " %" + name + " %" + name +
               "_end\n%" + name + " = OpLabel\n%" + name + "_at = OpAccessChain %to_uint %report %u0 %u" +
               std::to_string(word) + "\n%" + name + "_old = OpAtomicIAdd %uint %" + name +
               "_at %u1 %u0 %u1\nOpBranch %" + name + "_end\n%" + name + "_end = OpLabel\n";
    }

    std::string writeBody()
    {
        std::string text = "%main = OpFunction %void None %main_type\n%start = OpLabel\n" + tail() + grid();
        text += "%too_large = OpLogicalNot %bool %fits\n";
        text += follow("report", 3, "Words") + follow("counter", 2, "Words");
        text += report("large", "%too_large", 1);
        text += R"(
            %counter_word = OpAccessChain %to_uint %counter %u0 %u0
            %number = OpAtomicIAdd %uint %counter_word %u1 %u0 %u1
            %capacity_at = OpAccessChain %pushed_uint %list %u4
            %capacity = OpLoad %uint %capacity_at
            %has_room = OpULessThan %bool %number %capacity
            %is_lost = OpLogicalNot %bool %has_room
            OpSelectionMerge %done None
            OpBranchConditional %has_room %keep %done
            %keep = OpLabel
        )";
        text += follow("commands", 0, "Commands") + store("%x", 0) + store("%y", 1) + store("%z", 2) + copy();
        text += "OpBranch %done\n%done = OpLabel\n" + report("lost", "%is_lost", 0);
        return text + "OpReturn\nOpFunctionEnd\n";
    }

    const graph::NodeDeclaration& m_mesh;
    const uint32_t m_words;  // whole ones
    const bool m_hasHalf;    // behind them,
    const bool m_hasByte;    // and behind those
    const uint32_t m_strideWords;
    const uint32_t m_maxGroups;
    std::map<uint32_t, std::string> m_constants;
};

}  // namespace

Result<spirv::Words> makeCollector(const graph::NodeDeclaration& mesh, uint32_t strideBytes, uint32_t maxGroups)
{
    return spirv::assemble(Writer(mesh, strideBytes, maxGroups).write());
}

}  // namespace millrace::nodes
