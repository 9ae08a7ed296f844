// SPDX-License-Identifier: Apache-2.0
// Small graphs in SPIR-V text, run on the oracle.
#pragma once

#include <cstring>

#include "oracle/assembler.h"
#include "oracle/graph.h"

namespace millrace::oracle {

inline std::vector<uint8_t> bytesOf(const std::vector<uint32_t>& words)
{
    std::vector<uint8_t> bytes(words.size() * 4);
    if (!words.empty())
        std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

// `count` payloads of equal size, one after the other.
inline Launch launchWords(const std::string& name, uint32_t index, uint32_t count, const std::vector<uint32_t>& words)
{
    return {name, index, count, bytesOf(words), count ? words.size() * 4 / count : 0};
}

// Runs a graph with one output buffer at set 0, binding 0.
inline std::vector<uint32_t> runGraph(const std::vector<NodeSource>& nodes, const std::vector<Launch>& launches,
                                      size_t words, const Options& options = {})
{
    std::vector<uint32_t> out(words);
    Graph graph(nodes, options);
    graph.bindBuffer(0, 0, {reinterpret_cast<uint8_t*>(out.data()), words * 4});
    graph.dispatch(launches);
    return out;
}

// A compute node that writes to out[i]: `modes` are its execution modes besides LocalSize, `decorations`, `types` and
// `body` its SPIR-V. %out is the buffer, %word a pointer type to its words; constants %u0 to %u9 exist.
struct NodeText {
    std::string name = "main";
    std::string interface;
    std::string localSize = "1 1 1";
    std::string modes;
    std::string decorations;
    std::string types;
    std::string body;
    std::string capabilities;
    std::string functions;
    std::string model = "GLCompute";
};

inline std::string nodeText(const NodeText& node)
{
    std::string constants;
    for (int i = 0; i < 10; ++i)
        constants += "%u" + std::to_string(i) + " = OpConstant %uint " + std::to_string(i) + "\n";
    return "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\n" + node.capabilities +
           "OpExtension \"SPV_AMDX_shader_enqueue\"\n%glsl = OpExtInstImport \"GLSL.std.450\"\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint " +
           node.model + " %main \"" + node.name + "\" %out " + node.interface +
           "\n"
           "OpExecutionMode %main LocalSize " +
           node.localSize + "\n" + node.modes +
           "OpDecorate %words ArrayStride 4\nOpDecorate %Out Block\nOpMemberDecorate %Out 0 Offset 0\n"
           "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n" +
           node.decorations +
           "%void = OpTypeVoid\n%func = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n"
           "%int = OpTypeInt 32 1\n%float = OpTypeFloat 32\n%uint3 = OpTypeVector %uint 3\n" +
           constants +
           "%words = OpTypeRuntimeArray %uint\n%Out = OpTypeStruct %words\n"
           "%ptr_Out = OpTypePointer StorageBuffer %Out\n%word = OpTypePointer StorageBuffer %uint\n"
           "%out = OpVariable %ptr_Out StorageBuffer\n" +
           node.types + "%main = OpFunction %void None %func\n%entry = OpLabel\n" + node.body +
           "OpReturn\nOpFunctionEnd\n" + node.functions;
}

// Stores the value of `id` (32-bit unsigned) to out[index].
inline std::string storeResult(const std::string& id, int index)
{
    const std::string pointer = "%result" + std::to_string(index);
    return pointer + " = OpAccessChain %word %out %u0 %u" + std::to_string(index) + "\nOpStore " + pointer + " " + id +
           "\n";
}

}  // namespace millrace::oracle
