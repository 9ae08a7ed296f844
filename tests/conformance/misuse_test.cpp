// SPDX-License-Identifier: Apache-2.0
// What only the device can see is dropped and reported, with default settings, and does no harm to the rest.
#include <cstring>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Misuse : public GraphTest {
protected:
    // Runs with each path, both extreme scratch sizes and all forms. Every run must end with out[] as given and a
    // message of the command's rule.
    static void expectReported(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                               const std::vector<uint32_t>& wanted, const std::string& message)
    {
        expectRuleBroken(stages, launches);
        for (const char* path : {"direct", "indirect"}) {
            DeviceOptions deviceOptions;
            deviceOptions.path = path;
            Runner runner(device(deviceOptions), {});
            const VkPipeline graph = runner.createGraph(stages);
            for (Scratch scratch : {Scratch::Minimum, Scratch::Maximum}) {
                for (Form form : {Form::Host, Form::Indirect, Form::IndirectCount}) {
                    SCOPED_TRACE(std::string(path) + ", " + nameOf(scratch) + ", " + nameOf(form));
                    RunOptions options;
                    options.scratch = scratch;
                    options.form = form;
                    runner.clearOutput();
                    runner.run(graph, launches, options);
                    EXPECT_EQ(first(runner.outputWords(), wanted.size()), wanted);
                    expectMessage(device(deviceOptions), message);
                }
            }
        }
    }
};

Stage gridReceiver(bool withMaximum)
{
    return writeNode("to", [&](NodeWriter& node) {
        if (withMaximum)
            node.mode("MaxNumWorkgroupsAMDX " + node.c(4) + " " + node.c(2) + " " + node.c(2));
        node.inputArray({{node.uintVector(3), 0, "PayloadDispatchIndirectAMDX"}});
        node.add(0, node.c(1));
    });
}

TEST_F(Misuse, GridAboveMaxNumWorkgroups_IsDropped)
{
    const std::vector<Launch> launches = {launchWords("to", 0, 3, {4, 2, 2, 5, 1, 1, 1, 2, 1})};
    expectReported({gridReceiver(true)}, launches, {18}, "-maxComputeWorkGroupCount-09186");
}

TEST_F(Misuse, GridAboveTheDevicesLimits_IsDropped)
{
    expectReported({gridReceiver(false)}, {launchWords("to", 0, 2, {65536, 1, 1, 1, 2, 1})}, {2},
                   "-maxComputeWorkGroupCount-09186");
    expectReported({gridReceiver(false)}, {launchWords("to", 0, 2, {65535, 65535, 65535, 1, 2, 1})}, {2},
                   "-maxComputeWorkGroupCount-09186");
}

TEST_F(Misuse, GridFromANode_IsDropped)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 2;
        const Id array =
            node.allocate(node.output("to", {node.word(0), node.word(4), node.word(8)}, options), node.c(2), node.c(0));
        for (uint32_t i = 0; i < 2; ++i)
            for (uint32_t member = 0; member < 3; ++member)
                node.writePayload(array, node.c(i), member, node.c(i == 0 && member == 1 ? 3 : 2));
        node.enqueue(array);
    });
    expectReported({from, gridReceiver(true)}, {launchWords("from", 0, 1, {})}, {8}, "-maxComputeWorkGroupCount-09186");
}

// A workgroup that keeps its own budget is not disturbed by one that does not.
TEST_F(Misuse, MorePayloadsThanFit_AreDropped)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 2;
        const PayloadArrayType type = node.output("to", {node.word()}, options);
        const Id fine = node.allocate(type, node.c(2), node.c(0));
        node.writePayload(fine, node.c(0), 0, node.c(5));
        node.writePayload(fine, node.c(1), 0, node.c(6));
        node.enqueue(fine);
        // More than any scratch memory holds; some of them are written.
        const Id many = node.plus(node.builtIn("ShaderIndexAMDX"), node.c(1u << 27));
        const Id tooMany = node.allocate(type, many, node.c(0));
        node.body().loop(node.c(0), node.c(1000), node.c(1),
                         [&](const Id& i) { node.writePayload(tooMany, i, 0, node.c(100)); });
        node.enqueue(tooMany);
    });
    expectReported({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}, {11, 2}, "-NodeMaxPayloadsAMDX-09188");
}

TEST_F(Misuse, PayloadForAMissingNode_IsDropped)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 2;
        options.sparse = true;
        const PayloadArrayType type = node.output("to", {node.word()}, options);
        const Id three = node.plus(node.builtIn("ShaderIndexAMDX"), node.c(3));
        node.send(type, node.c(9), three);
        node.send(type, node.c(4), node.c(0));
    });
    expectReported({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}, {4, 1}, "node index 3");
}

// The output that has the node is not the one that is blamed.
TEST_F(Misuse, PayloadForAMissingNode_OfSeveralOutputs_NamesTheNode)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.sparse = true;
        options.arraySize = 2;
        const PayloadArrayType there = node.output("to", {node.word()}, options);
        const PayloadArrayType gone = node.output("gone", {node.word()}, options);
        const Id first = node.builtIn("ShaderIndexAMDX");
        node.send(there, node.c(4), first);
        node.send(gone, node.c(9), first);
    });
    expectReported({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}, {4},
                   "node index 0, where the graph has no node 'gone'[0]");
}

// All payloads of an allocation are told.
TEST_F(Misuse, SeveralPayloadsForAMissingNode_AreCounted)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(1);
                                     OutputOptions options;
                                     options.budget = 20;
                                     options.sparse = true;
                                     const PayloadArrayType type = node.output("to", {node.word()}, options);
                                     const Id three = node.plus(node.builtIn("ShaderIndexAMDX"), node.c(3));
                                     node.enqueue(node.allocate(type, node.c(5), three, false));
                                 },
                                 {4, 1, 1});
    expectReported({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}, {0}, "20 payloads were dropped");
}

TEST_F(Misuse, RecursionBelowItsLastLevel_IsDropped)
{
    const Stage node = writeNode("node", [](NodeWriter& writer) {
        writer.staticGrid(1);
        writer.mode("MaxNodeRecursionAMDX " + writer.c(2));
        writer.input();
        writer.add(0, writer.c(1));
        writer.send(writer.output("node", {writer.word()}), writer.c(0), writer.c(0));
    });
    expectReported({node}, {launchWords("node", 0, 1, {0})}, {3}, "node index 0, which is the node itself");
}

// "to"[1] is there, but sends to "from".
TEST_F(Misuse, PayloadBeyondTheArray_WhereThatMakesACircle_IsDropped)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(1);
                                     node.input();
                                     OutputOptions options;
                                     options.budget = 2;
                                     options.arraySize = 1;
                                     const auto type = node.output("to", {node.word()}, options);
                                     node.send(type, node.c(7), node.lane(), false);
                                 },
                                 {2, 1, 1});
    Stage back = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        node.send(node.output("from", {node.word()}), node.readPayload(node.input(), node.c(0), 0), node.c(0));
    });
    back.index = 1;
    expectReported({from, adder("to", 0), back}, {launchWords("from", 0, 1, {0})}, {7, 1}, "beyond the array of 1");
}

TEST_F(Misuse, PayloadForANodeThatSharesItsInput_IsDropped)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(1);
                                     OutputOptions options;
                                     options.budget = 2;
                                     const auto type = node.output("to", {node.word()}, options);
                                     node.send(type, node.c(7), node.lane(), false);
                                 },
                                 {2, 1, 1});
    Stage twin = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("SharesInputWithAMDX " + node.module().stringConstant("to") + " " + node.c(0));
        node.input();
        node.add(2, node.c(1));
    });
    twin.index = 1;
    expectReported({from, adder("to", 0), twin}, {launchWords("from", 0, 1, {})}, {7, 1, 1}, "whose input it shares");
}

TEST_F(Misuse, NodesThatAreNoEntry_AreNotDispatched)
{
    const Stage hidden = writeNode("hidden", [](NodeWriter& node) {
        node.staticGrid(1);
        node.noEntry();
        node.add(4, node.c(1));
    });
    const Stage twin = writeNode("twin", [](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("SharesInputWithAMDX " + node.module().stringConstant("base") + " " + node.c(0));
        node.add(5, node.c(1));
    });
    const std::vector<Stage> stages = {adder("base", 0), hidden, twin};
    for (const char* name : {"hidden", "twin"})
        expectReported(stages, {launchWords(name, 0, 1, {0}), launchWords("base", 0, 1, {3})}, {3, 1, 0, 0, 0, 1},
                       "that the API may dispatch");
}

TEST_F(Misuse, ScratchNotInitialized_NothingRuns)
{
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions deviceOptions;
        deviceOptions.path = path;
        deviceOptions.disabled = {"leaf"};  // does not look at it
        Device& used = device(deviceOptions);
        Runner runner(used, {});
        const VkPipeline graph = runner.createGraph({adder("node", 0)});
        const VkPipeline other = runner.createGraph({adder("node", 2)});
        const harness::Buffer scratch = runner.createScratch(
            std::max(runner.scratchBytes(graph, Scratch::Minimum), runner.scratchBytes(other, Scratch::Minimum)));
        for (const bool forTheOther : {false, true}) {
            if (forTheOther)
                used.submit([&](VkCommandBuffer cmd) { runner.initialize(cmd, other, scratch); });
            const harness::Buffer arguments =
                runner.createArguments(graph, {launchWords("node", 0, 1, {5})}, sizeof(VkDispatchGraphInfoAMDX));
            for (Form form : {Form::Host, Form::Indirect, Form::IndirectCount}) {
                used.submit([&](VkCommandBuffer cmd) {
                    runner.bind(cmd, graph);
                    if (form == Form::Host)
                        runner.dispatchHost(cmd, graph, scratch, {launchWords("node", 0, 1, {5})});
                    else
                        runner.dispatchIndirect(cmd, scratch, arguments, form);
                });
                EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{0, 0})) << path << nameOf(form);
                expectMessage(used, "-scratch-10194");
            }
        }
    }
}

}  // namespace

}  // namespace millrace::conformance
