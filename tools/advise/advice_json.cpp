// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/advice_json.h"

#include "tools/console.h"

namespace millrace::tools {

namespace {

using namespace millrace::advisor;
using Json = nlohmann::ordered_json;

Json placeJson(const Place& place, const SourceTexts& sources)
{
    if (place.line == 0)
        return nullptr;
    return {{"file", printable(place.file)}, {"line", place.line}, {"text", printable(lineAt(sources, place))}};
}

Json placesJson(const std::vector<Place>& places, const SourceTexts& sources)
{
    Json out = Json::array();
    for (const Place& place : places)
        if (place.line != 0)
            out.push_back(placeJson(place, sources));
    return out;
}

Json numberOrNull(const std::optional<uint32_t>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json outputsJson(const Facts& facts, const SourceTexts& sources)
{
    Json out = Json::array();
    for (const Output& output : facts.outputs) {
        uint32_t words = 0;
        for (const OutputSlot& slot : output.slots)
            words += static_cast<uint32_t>(__builtin_popcount(slot.words));
        out.push_back({{"name", printable(output.name)},
                       {"kind", kindText(output.kind)},
                       {"location", output.kind == OutputKind::Generic ? Json(output.location) : Json(nullptr)},
                       {"per", output.isPerPrimitive ? "primitive" : "vertex"},
                       {"words", words},
                       {"written_by_others", output.isForeign()},
                       {"places", placesJson(output.foreignStores, sources)}});
    }
    return out;
}

Json countsJson(const Facts& facts, const SourceTexts& sources)
{
    Json out = Json::array();
    for (const OutputCounts& counts : facts.outputCounts) {
        out.push_back({{"vertices", numberOrNull(counts.vertices)},
                       {"primitives", numberOrNull(counts.primitives)},
                       {"place", placeJson(counts.place, sources)}});
    }
    return out;
}

Json launchesJson(const Facts& facts, const SourceTexts& sources)
{
    Json out = Json::array();
    for (const TaskLaunch& launch : facts.launches) {
        Json groups = Json::array();
        for (const auto& size : launch.groups)
            groups.push_back(numberOrNull(size));
        out.push_back({{"groups", groups}, {"place", placeJson(launch.place, sources)}});
    }
    return out;
}

Json sharedJson(const Facts& facts)
{
    Json out = Json::array();
    for (const SharedVariable& variable : facts.shared)
        out.push_back({{"name", printable(variable.name)}, {"bytes", variable.bytes}});
    return out;
}

Json barriersJson(const Facts& facts, const SourceTexts& sources)
{
    Json out = Json::array();
    for (const Barrier& barrier : facts.barriers)
        out.push_back({{"in_loop", barrier.isInLoop}, {"place", placeJson(barrier.place, sources)}});
    return out;
}

// With how many registers how many waves run on a SIMD unit.
Json mostRegistersJson(const Gpu& gpu, uint32_t waveSize)
{
    Json out = Json::array();
    for (uint32_t waves = kWavesPerSimd; waves > 0; --waves) {
        const uint32_t registers = registersForWaves(gpu, waveSize, waves);
        if (out.empty() || out.back()["registers"] != registers)
            out.push_back({{"waves", waves}, {"registers", registers}});
    }
    return out;
}

Json launchJson(const Launch& launch, const Occupancy& occupancy, const Gpu& gpu)
{
    return {{"wave_size", launch.waveSize},
            {"invocations", launch.invocations},
            {"waves", launch.waves},
            {"shader_waves", launch.shaderWaves},
            {"idle_invocations", launch.idleInvocations},
            {"vertex_rows", launch.vertexRows},
            {"primitive_rows", launch.primitiveRows},
            {"barriers", nameOf(launch.barriers)},
            {"workgroups_per_wgp", occupancy.workgroups},
            {"waves_per_simd", occupancy.waves},
            {"most_registers", mostRegistersJson(gpu, launch.waveSize)}};
}

Json slotsJson(const std::vector<DriverSlot>& slots)
{
    Json out = Json::array();
    for (const DriverSlot& slot : slots) {
        Json names = Json::array();
        for (const std::string& name : slot.names)
            names.push_back(printable(name));
        out.push_back({{"per", slot.isPerPrimitive ? "primitive" : "vertex"}, {"outputs", names}});
    }
    return out;
}

Json ldsJson(const LdsPlan& lds)
{
    return {{"shared_bytes", lds.sharedBytes},
            {"payload_bytes", lds.payloadBytes},
            {"info_bytes", lds.infoBytes},
            {"vertex_bytes", lds.vertexBytes},
            {"primitive_bytes", lds.primitiveBytes},
            {"index_bytes", lds.indexBytes},
            {"cull_bytes", lds.cullBytes},
            {"used_bytes", lds.usedBytes},
            {"encoded_bytes", lds.encodedBytes},
            {"allocated_bytes", lds.allocatedBytes},
            {"fits", lds.fits},
            {"spilled_bytes", lds.spilledBytes}};
}

Json planJson(const GpuPlan& plan)
{
    return {{"gpu", plan.gpu.name},
            {"product", plan.gpu.product},
            {"registers_estimate", plan.registers},
            {"lds", ldsJson(plan.lds)},
            {"outputs",
             {{"direct", slotsJson(plan.lds.direct)},
              {"staged", slotsJson(plan.lds.staged)},
              {"attribute_ring", slotsJson(plan.lds.attributeRing)},
              {"spilled", slotsJson(plan.lds.spilled)}}},
            {"waves",
             {launchJson(plan.wide, plan.wideOccupancy, plan.gpu),
              launchJson(plan.narrow, plan.narrowOccupancy, plan.gpu)}}};
}

Json findingJson(const Finding& finding, const SourceTexts& sources)
{
    return {{"kind", finding.kind == Finding::Kind::Problem ? "problem" : "hint"},
            {"topic", finding.topic},
            {"gpus", finding.gpus},
            {"places", placesJson(finding.places, sources)},
            {"text", printable(finding.text)},
            {"cost", printable(finding.cost)},
            {"advice", printable(finding.advice)}};
}

Json payloadJson(const Facts& facts)
{
    return facts.payload ? Json{{"name", printable(facts.payload->name)},
                                {"bytes", facts.payload->bytes},
                                {"atomics", facts.payload->hasAtomics}}
                         : Json(nullptr);
}

Json shaderJson(const Advice& advice)
{
    const Facts& facts = advice.facts;
    const bool isMesh = facts.stage == Stage::Mesh;
    Json out{{"entry_point", printable(facts.entryPoint)},
             {"stage", isMesh ? "mesh" : "task"},
             {"workgroup_size", facts.workgroupSize},
             {"invocations", facts.invocations()}};
    if (isMesh) {
        out["topology"] = topologyText(facts);
        out["max_vertices"] = facts.maxVertices;
        out["max_primitives"] = facts.maxPrimitives;
        out["outputs"] = outputsJson(facts, advice.sources);
        out["output_counts"] = countsJson(facts, advice.sources);
    } else {
        out["launches"] = launchesJson(facts, advice.sources);
    }
    out["live_words"] = facts.liveWords;
    out["shared"] = sharedJson(facts);
    out["payload"] = payloadJson(facts);
    out["barriers"] = barriersJson(facts, advice.sources);
    out["gpus"] = Json::array();
    for (const GpuPlan& plan : advice.plans)
        out["gpus"].push_back(planJson(plan));
    out["findings"] = Json::array();
    for (const Finding& finding : advice.findings)
        out["findings"].push_back(findingJson(finding, advice.sources));
    return out;
}

}  // namespace

const char* stageText(Stage stage)
{
    return stage == Stage::Mesh ? "mesh shader" : "task shader";
}

const char* topologyText(const Facts& facts)
{
    return facts.verticesPerPrimitive == 3 ? "triangles" : facts.verticesPerPrimitive == 2 ? "lines" : "points";
}

const char* kindText(OutputKind kind)
{
    switch (kind) {
        case OutputKind::Generic:
            return "generic";
        case OutputKind::Position:
            return "position";
        case OutputKind::PointSize:
            return "point_size";
        case OutputKind::ClipDistance:
            return "clip_distance";
        case OutputKind::CullDistance:
            return "cull_distance";
        case OutputKind::PrimitiveId:
            return "primitive_id";
        case OutputKind::Layer:
            return "layer";
        case OutputKind::Viewport:
            return "viewport";
        case OutputKind::ShadingRate:
            return "shading_rate";
        case OutputKind::Cull:
            return "cull_primitive";
        case OutputKind::Indices:
            return "indices";
    }
    return "";
}

Json adviceJson(const std::vector<Advice>& shaders)
{
    Json out = Json::array();
    for (const Advice& advice : shaders)
        out.push_back(shaderJson(advice));
    return out;
}

}  // namespace millrace::tools
