// SPDX-License-Identifier: Apache-2.0
// Every struct of src/abi has the same layout in C++ as in the compiled shaders.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "abi/commands.h"
#include "abi/dispatch.h"
#include "abi/graph_memory.h"
#include "abi/probe.h"
#include "abi/tally.h"
#include "shaders/commands.h"
#include "shaders/meta.h"
#include "shaders/node_library.h"
#include "spirv/module.h"

namespace millrace {
namespace {

struct Member {
    std::string name;
    size_t offset;
};

struct Struct {
    std::string name;
    std::vector<Member> members;
    size_t size;
};

#define MEMBER(type, member)                 \
    {                                        \
#member, offsetof(abi::type, member) \
    }

// Members in order. A member missing here shows as a difference in number.
const std::vector<Struct>& structs()
{
    static const std::vector<Struct> kStructs = {
        {"SlotInfo",
         {MEMBER(SlotInfo, kind),
          MEMBER(SlotInfo, stream),
          MEMBER(SlotInfo, level),
          MEMBER(SlotInfo, unitsPerPayload),
          MEMBER(SlotInfo, unitsPerGroup),
          MEMBER(SlotInfo, payloadStride),
          MEMBER(SlotInfo, finishOffset),
          MEMBER(SlotInfo, remainingRecursion),
          MEMBER(SlotInfo, shaderIndex),
          MEMBER(SlotInfo, firstOutput),
          MEMBER(SlotInfo, granulesPerGroup),
          MEMBER(SlotInfo, fitGranulesPerGroup),
          MEMBER(SlotInfo, firstArea),
          MEMBER(SlotInfo, areaCount),
          MEMBER(SlotInfo, entriesPerGroup),
          MEMBER(SlotInfo, fitEntriesPerGroup),
          MEMBER(SlotInfo, name),
          MEMBER(SlotInfo, onlyQueue),
          MEMBER(SlotInfo, onlyStride),
          MEMBER(SlotInfo, onlyStream),
          MEMBER(SlotInfo, onlyLimit),
          MEMBER(SlotInfo, streamState),
          MEMBER(SlotInfo, base),
          MEMBER(SlotInfo, onlyTable),
          MEMBER(SlotInfo, onlyCapacity),
          MEMBER(SlotInfo, remainingOffset),
          MEMBER(SlotInfo, leftOffset),
          MEMBER(SlotInfo, leaving),
          MEMBER(SlotInfo, start),
          MEMBER(SlotInfo, startUnit),
          MEMBER(SlotInfo, most)},
         sizeof(abi::SlotInfo)},
        {"OutputInfo",
         {MEMBER(OutputInfo, mapFirst), MEMBER(OutputInfo, mapCount), MEMBER(OutputInfo, first),
          MEMBER(OutputInfo, area), MEMBER(OutputInfo, receiver), MEMBER(OutputInfo, receiverStride),
          MEMBER(OutputInfo, receiverStream), MEMBER(OutputInfo, pad0)},
         sizeof(abi::OutputInfo)},
        {"AreaInfo",
         {MEMBER(AreaInfo, stream), MEMBER(AreaInfo, stride), MEMBER(AreaInfo, offset), MEMBER(AreaInfo, limit)},
         sizeof(abi::AreaInfo)},
        {"QueueInfo",
         {MEMBER(QueueInfo, payloadBytes), MEMBER(QueueInfo, stride), MEMBER(QueueInfo, finishOffset),
          MEMBER(QueueInfo, finishCount), MEMBER(QueueInfo, indexedStream), MEMBER(QueueInfo, firstDynamic),
          MEMBER(QueueInfo, dynamicCount), MEMBER(QueueInfo, node)},
         sizeof(abi::QueueInfo)},
        {"StreamInfo",
         {MEMBER(StreamInfo, kind), MEMBER(StreamInfo, level), MEMBER(StreamInfo, gridOffset),
          MEMBER(StreamInfo, gridComponents), MEMBER(StreamInfo, gridComponentBytes), MEMBER(StreamInfo, maxX),
          MEMBER(StreamInfo, maxY), MEMBER(StreamInfo, maxZ), MEMBER(StreamInfo, maxGroups), MEMBER(StreamInfo, pad0)},
         sizeof(abi::StreamInfo)},
        {"IndexedEntry", {MEMBER(IndexedEntry, location), MEMBER(IndexedEntry, first)}, sizeof(abi::IndexedEntry)},
        {"DynamicEntry",
         {MEMBER(DynamicEntry, location), MEMBER(DynamicEntry, gridXY), MEMBER(DynamicEntry, gridZAndMore),
          MEMBER(DynamicEntry, first)},
         sizeof(abi::DynamicEntry)},
        {"StreamState",
         {MEMBER(StreamState, counter), MEMBER(StreamState, appended), MEMBER(StreamState, pad0),
          MEMBER(StreamState, table), MEMBER(StreamState, capacity), MEMBER(StreamState, pending),
          MEMBER(StreamState, firstLocation), MEMBER(StreamState, pad)},
         sizeof(abi::StreamState)},
        {"SlotState",
         {MEMBER(SlotState, cursor), MEMBER(SlotState, counted), MEMBER(SlotState, ticket), MEMBER(SlotState, pad)},
         sizeof(abi::SlotState)},
        {"LevelState",
         {MEMBER(LevelState, reserved), MEMBER(LevelState, reservedGranules), MEMBER(LevelState, reservedEntries),
          MEMBER(LevelState, pad0), MEMBER(LevelState, used), MEMBER(LevelState, pad1), MEMBER(LevelState, begin),
          MEMBER(LevelState, size), MEMBER(LevelState, entryQuota), MEMBER(LevelState, groups),
          MEMBER(LevelState, startUsed), MEMBER(LevelState, startEntries), MEMBER(LevelState, pad)},
         sizeof(abi::LevelState)},
        {"GraphStatus",
         {MEMBER(GraphStatus, remaining), MEMBER(GraphStatus, sweeps), MEMBER(GraphStatus, error),
          MEMBER(GraphStatus, errorNode), MEMBER(GraphStatus, errorValue), MEMBER(GraphStatus, errorCount),
          MEMBER(GraphStatus, highWaterGranules), MEMBER(GraphStatus, units)},
         sizeof(abi::GraphStatus)},
        {"GraphHeader",
         {MEMBER(GraphHeader, magic),        MEMBER(GraphHeader, graph),          MEMBER(GraphHeader, slotCount),
          MEMBER(GraphHeader, streamCount),  MEMBER(GraphHeader, queueCount),     MEMBER(GraphHeader, levelCount),
          MEMBER(GraphHeader, apiNodeCount), MEMBER(GraphHeader, trashLocation),  MEMBER(GraphHeader, feedGranules),
          MEMBER(GraphHeader, feedCounted),  MEMBER(GraphHeader, self),           MEMBER(GraphHeader, slots),
          MEMBER(GraphHeader, outputs),      MEMBER(GraphHeader, nodeMap),        MEMBER(GraphHeader, queues),
          MEMBER(GraphHeader, streams),      MEMBER(GraphHeader, apiNodes),       MEMBER(GraphHeader, slotStates),
          MEMBER(GraphHeader, streamStates), MEMBER(GraphHeader, areas),          MEMBER(GraphHeader, levelSlots),
          MEMBER(GraphHeader, levelStates),  MEMBER(GraphHeader, feedCursor),     MEMBER(GraphHeader, feedTotal),
          MEMBER(GraphHeader, hostStatus),   MEMBER(GraphHeader, feedFirstChunk), MEMBER(GraphHeader, nextFirstChunk),
          MEMBER(GraphHeader, feedTicket),   MEMBER(GraphHeader, feedFirstInfo),  MEMBER(GraphHeader, nextFirstInfo),
          MEMBER(GraphHeader, feedBlocks),   MEMBER(GraphHeader, again),          MEMBER(GraphHeader, feedChunks),
          MEMBER(GraphHeader, feedMode),     MEMBER(GraphHeader, feedGroups),     MEMBER(GraphHeader, feedDone),
          MEMBER(GraphHeader, pad0),         MEMBER(GraphHeader, status)},
         sizeof(abi::GraphHeader)},
        {"LevelPlan",
         {MEMBER(LevelPlan, begin), MEMBER(LevelPlan, size), MEMBER(LevelPlan, entryQuota), MEMBER(LevelPlan, used),
          MEMBER(LevelPlan, groups), MEMBER(LevelPlan, pad0)},
         sizeof(abi::LevelPlan)},
        {"StreamPlan",
         {MEMBER(StreamPlan, table), MEMBER(StreamPlan, capacity), MEMBER(StreamPlan, firstLocation),
          MEMBER(StreamPlan, pad0), MEMBER(StreamPlan, counter)},
         sizeof(abi::StreamPlan)},
        {"SlotPlan",
         {MEMBER(SlotPlan, base), MEMBER(SlotPlan, onlyTable), MEMBER(SlotPlan, onlyCapacity),
          MEMBER(SlotPlan, leaving), MEMBER(SlotPlan, most), MEMBER(SlotPlan, pad)},
         sizeof(abi::SlotPlan)},
        {"Copy", {MEMBER(Copy, from), MEMBER(Copy, to), MEMBER(Copy, granules), MEMBER(Copy, pad0)}, sizeof(abi::Copy)},
        {"BeginArguments",
         {MEMBER(BeginArguments, graph),      MEMBER(BeginArguments, levelPlans),   MEMBER(BeginArguments, streamPlans),
          MEMBER(BeginArguments, slotPlans),  MEMBER(BeginArguments, status),       MEMBER(BeginArguments, copies),
          MEMBER(BeginArguments, graphId),    MEMBER(BeginArguments, copyCount),    MEMBER(BeginArguments, isFed),
          MEMBER(BeginArguments, slotCount),  MEMBER(BeginArguments, streamCount),  MEMBER(BeginArguments, levelCount),
          MEMBER(BeginArguments, when),       MEMBER(BeginArguments, payloadBound), MEMBER(BeginArguments, inputCount),
          MEMBER(BeginArguments, feedGroups), MEMBER(BeginArguments, groupBound),   MEMBER(BeginArguments, pad0),
          MEMBER(BeginArguments, inputs),     MEMBER(BeginArguments, inputStride)},
         sizeof(abi::BeginArguments)},
        {"BeginList",
         {MEMBER(BeginList, status), MEMBER(BeginList, graphId), MEMBER(BeginList, count)},
         sizeof(abi::BeginList)},
        {"BeginStore",
         {MEMBER(BeginStore, value), MEMBER(BeginStore, place), MEMBER(BeginStore, pad0)},
         sizeof(abi::BeginStore)},
        {"InitArguments",
         {MEMBER(InitArguments, source), MEMBER(InitArguments, destination), MEMBER(InitArguments, wordCount),
          MEMBER(InitArguments, pad0)},
         sizeof(abi::InitArguments)},
        {"FeedArguments",
         {MEMBER(FeedArguments, graph), MEMBER(FeedArguments, infos), MEMBER(FeedArguments, stride),
          MEMBER(FeedArguments, countInfo), MEMBER(FeedArguments, count), MEMBER(FeedArguments, graphId),
          MEMBER(FeedArguments, flags), MEMBER(FeedArguments, groupBound)},
         sizeof(abi::FeedArguments)},
        {"NumberArguments",
         {MEMBER(NumberArguments, graph), MEMBER(NumberArguments, level), MEMBER(NumberArguments, slotCount)},
         sizeof(abi::NumberArguments)},
        {"TurnArguments", {MEMBER(TurnArguments, graph)}, sizeof(abi::TurnArguments)},
        {"IndirectArguments",
         {MEMBER(IndirectArguments, groupsX), MEMBER(IndirectArguments, groupsY), MEMBER(IndirectArguments, groupsZ),
          MEMBER(IndirectArguments, groupCount), MEMBER(IndirectArguments, firstUnit)},
         sizeof(abi::IndirectArguments)},
        {"FitArguments",
         {MEMBER(FitArguments, graph), MEMBER(FitArguments, list), MEMBER(FitArguments, slots),
          MEMBER(FitArguments, slotStates), MEMBER(FitArguments, streamStates), MEMBER(FitArguments, levelState),
          MEMBER(FitArguments, slotCount), MEMBER(FitArguments, pad0)},
         sizeof(abi::FitArguments)},
        {"PlanArguments",
         {MEMBER(PlanArguments, graph), MEMBER(PlanArguments, indirect), MEMBER(PlanArguments, level),
          MEMBER(PlanArguments, flags), MEMBER(PlanArguments, slotCount), MEMBER(PlanArguments, pad0)},
         sizeof(abi::PlanArguments)},
        {"ProbeState", {MEMBER(ProbeState, arrivals), MEMBER(ProbeState, resident)}, sizeof(abi::ProbeState)},
        {"ProbeArguments",
         {MEMBER(ProbeArguments, state), MEMBER(ProbeArguments, quietPolls), MEMBER(ProbeArguments, maxPolls),
          MEMBER(ProbeArguments, nothing), MEMBER(ProbeArguments, pad0)},
         sizeof(abi::ProbeArguments)},
        {"SequenceTable",
         {MEMBER(SequenceTable, sequenceCount), MEMBER(SequenceTable, groupCount), MEMBER(SequenceTable, entries)},
         sizeof(abi::SequenceTable)},
        {"SequenceEntry",
         {MEMBER(SequenceEntry, sequence), MEMBER(SequenceEntry, firstGroup)},
         sizeof(abi::SequenceEntry)},
        {"BlockSum", {MEMBER(BlockSum, sequences), MEMBER(BlockSum, groups)}, sizeof(abi::BlockSum)},
        {"DrawEntry",
         {MEMBER(DrawEntry, sequence), MEMBER(DrawEntry, drawIndex), MEMBER(DrawEntry, vertexOffset),
          MEMBER(DrawEntry, firstInstance)},
         sizeof(abi::DrawEntry)},
        {"DispatchCommand",
         {MEMBER(DispatchCommand, x), MEMBER(DispatchCommand, y), MEMBER(DispatchCommand, z),
          MEMBER(DispatchCommand, pad0)},
         sizeof(abi::DispatchCommand)},
        {"SortArguments",
         {MEMBER(SortArguments, stream),        MEMBER(SortArguments, sequenceCount),
          MEMBER(SortArguments, dispatches),    MEMBER(SortArguments, tables),
          MEMBER(SortArguments, entries),       MEMBER(SortArguments, sums),
          MEMBER(SortArguments, draws),         MEMBER(SortArguments, drawEntries),
          MEMBER(SortArguments, setParts),      MEMBER(SortArguments, drawCounts),
          MEMBER(SortArguments, stride),        MEMBER(SortArguments, actionOffset),
          MEMBER(SortArguments, setOffset),     MEMBER(SortArguments, maxSequenceCount),
          MEMBER(SortArguments, pipelineCount), MEMBER(SortArguments, blockCount),
          MEMBER(SortArguments, maxDrawCount),  MEMBER(SortArguments, flags),
          MEMBER(SortArguments, commandWords),  MEMBER(SortArguments, pipeline),
          MEMBER(SortArguments, setStages),     MEMBER(SortArguments, setSize)},
         sizeof(abi::SortArguments)},
        {"GatherStep",
         {MEMBER(GatherStep, source), MEMBER(GatherStep, stride), MEMBER(GatherStep, kind), MEMBER(GatherStep, target),
          MEMBER(GatherStep, words), MEMBER(GatherStep, from), MEMBER(GatherStep, to)},
         sizeof(abi::GatherStep)},
        {"GatherArguments",
         {MEMBER(GatherArguments, steps), MEMBER(GatherArguments, sequenceCount),
          MEMBER(GatherArguments, sequenceIndices), MEMBER(GatherArguments, records), MEMBER(GatherArguments, places),
          MEMBER(GatherArguments, stepCount), MEMBER(GatherArguments, stride),
          MEMBER(GatherArguments, maxSequenceCount), MEMBER(GatherArguments, placeCount),
          MEMBER(GatherArguments, numberCount), MEMBER(GatherArguments, indexCount)},
         sizeof(abi::GatherArguments)},
        {"PipelinePlace",
         {MEMBER(PipelinePlace, address), MEMBER(PipelinePlace, number), MEMBER(PipelinePlace, pad0)},
         sizeof(abi::PipelinePlace)},
        {"TallyCounters",
         {MEMBER(TallyCounters, executions), MEMBER(TallyCounters, sequences)},
         sizeof(abi::TallyCounters)},
        {"TallyArguments",
         {MEMBER(TallyArguments, stream), MEMBER(TallyArguments, sequenceCount), MEMBER(TallyArguments, setParts),
          MEMBER(TallyArguments, counters), MEMBER(TallyArguments, stride), MEMBER(TallyArguments, setOffset),
          MEMBER(TallyArguments, maxSequenceCount), MEMBER(TallyArguments, pipelineCount),
          MEMBER(TallyArguments, setStages), MEMBER(TallyArguments, setSize)},
         sizeof(abi::TallyArguments)},
    };
    return kStructs;
}

using Offsets = std::map<std::string, size_t>;

// Explicitly laid out structs of a module by name; glslang makes one copy per layout. Their array strides under the
// name "[]".
std::multimap<std::string, Offsets> laidOutStructs(std::span<const uint32_t> words)
{
    auto module = spirv::read(words);
    EXPECT_TRUE(module) << module.error().text();
    std::map<uint32_t, std::map<uint32_t, std::string>> memberNames;
    std::map<uint32_t, std::string> names;
    for (const spirv::Instruction& i : module->section(spirv::Section::DebugNames)) {
        if (i.op == spv::Op::OpName)
            names[i.id(0).value] = i.string(1);
        if (i.op == spv::Op::OpMemberName)
            memberNames[i.id(0).value][i.literal(1)] = i.string(2);
    }
    std::map<uint32_t, Offsets> offsets;
    for (const spirv::Instruction& i : module->section(spirv::Section::Annotations))
        if (i.op == spv::Op::OpMemberDecorate && i.literal(2) == static_cast<uint32_t>(spv::Decoration::Offset))
            offsets[i.id(0).value][memberNames[i.id(0).value][i.literal(1)]] = i.literal(3);
    for (const spirv::Instruction& i : module->section(spirv::Section::Globals)) {
        if (i.op != spv::Op::OpTypeRuntimeArray && i.op != spv::Op::OpTypeArray)
            continue;
        const spirv::Instruction* stride = module->findDecoration(i.result, spv::Decoration::ArrayStride);
        if (stride && offsets.count(i.id(0).value))
            offsets[i.id(0).value]["[]"] = stride->literal(2);
    }
    std::multimap<std::string, Offsets> out;
    for (auto& [id, members] : offsets)
        out.emplace(names[id], members);
    return out;
}

TEST(AbiLayout, EveryStructIsTheSameInShadersAndCpp)
{
    std::map<std::string, int> seen;
    for (std::span<const uint32_t> words :
         {shaders::meta_init, shaders::meta_begin, shaders::meta_feed, shaders::meta_number, shaders::meta_turn,
          shaders::meta_plan, shaders::meta_fit, shaders::meta_probe_small, shaders::commands_count,
          shaders::commands_place, shaders::commands_sort, shaders::commands_expand, shaders::commands_order,
          shaders::commands_gather, shaders::commands_tally, shaders::node_library, shaders::node_library_packed,
          shaders::node_library_fits, shaders::depth_first_library}) {
        const auto compiled = laidOutStructs(words);
        for (const Struct& s : structs()) {
            const auto [first, last] = compiled.equal_range(s.name);
            for (auto it = first; it != last; ++it) {
                Offsets offsets = it->second;
                if (offsets.count("[]")) {
                    EXPECT_EQ(offsets["[]"], s.size) << s.name;
                    offsets.erase("[]");
                }
                EXPECT_EQ(offsets.size(), s.members.size()) << s.name;
                for (const Member& m : s.members)
                    EXPECT_EQ(offsets[m.name], m.offset) << s.name << "::" << m.name;
                ++seen[s.name];
            }
        }
    }
    for (const Struct& s : structs())
        EXPECT_GT(seen[s.name], 0) << s.name << " appears in no shader";
}

}  // namespace
}  // namespace millrace
