// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/advice_text.h"

#include <iostream>
#include <string>

#include "tools/advise/advice_json.h"
#include "tools/console.h"

namespace millrace::tools {

namespace {

using namespace millrace::advisor;

void printFacts(const Facts& facts)
{
    std::cout << colour(Colour::Bold, printable(facts.entryPoint)) << ": " << stageText(facts.stage) << ", workgroup "
              << facts.workgroupSize[0] << " x " << facts.workgroupSize[1] << " x " << facts.workgroupSize[2];
    if (facts.stage == Stage::Mesh) {
        std::cout << ", " << topologyText(facts) << ", at most " << facts.maxVertices << " vertices and "
                  << facts.maxPrimitives << " primitives";
    }
    std::cout << "\n  shared memory " << bytesText(facts.sharedBytes) << ", barriers " << facts.barriers.size();
    if (facts.payload)
        std::cout << ", payload " << bytesText(facts.payload->bytes);
    std::cout << "\n\n";
}

void printPlans(const std::vector<GpuPlan>& plans)
{
    Table table(
        {"gpu", "wave", "workgroup", "waves", "idle", "barriers", "LDS", "in memory", "waves per SIMD", "registers"});
    for (const GpuPlan& plan : plans) {
        for (const bool isWide : {true, false}) {
            const Launch& launch = isWide ? plan.wide : plan.narrow;
            const Occupancy& occupancy = isWide ? plan.wideOccupancy : plan.narrowOccupancy;
            table.add({std::string(plan.gpu.name), std::to_string(launch.waveSize), std::to_string(launch.invocations),
                       std::to_string(launch.waves), std::to_string(launch.idleInvocations), nameOf(launch.barriers),
                       bytesText(plan.lds.usedBytes), bytesText(plan.lds.spilledBytes), std::to_string(occupancy.waves),
                       "~" + std::to_string(plan.registers)});
        }
    }
    table.print(std::cout, "  ");
}

void printPlaces(const std::vector<Place>& places, const SourceTexts& sources)
{
    for (size_t p = 0; p < places.size(); ++p) {
        const std::string line = lineAt(sources, places[p]);
        std::cout << (p == 0 ? "  where:  " : "          ") << printable(places[p].file) << ":" << places[p].line
                  << (line.empty() ? "" : ": " + printable(line)) << "\n";
    }
}

std::string joinedNames(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

void printFinding(const Finding& finding, const SourceTexts& sources)
{
    const bool isProblem = finding.kind == Finding::Kind::Problem;
    std::cout << colour(isProblem ? Colour::Red : Colour::Yellow, isProblem ? "problem" : "hint") << ": "
              << printable(finding.text) << "\n";
    printPlaces(finding.places, sources);
    std::cout << "  on:     " << joinedNames(finding.gpus) << "\n  cost:   " << printable(finding.cost)
              << "\n  change: " << printable(finding.advice) << "\n";
}

}  // namespace

void printAdvice(const std::vector<Advice>& shaders)
{
    for (size_t s = 0; s < shaders.size(); ++s) {
        std::cout << (s == 0 ? "" : "\n");
        printFacts(shaders[s].facts);
        printPlans(shaders[s].plans);
        std::cout << (shaders[s].findings.empty() ? "\nnothing stands out\n" : "\n");
        for (const Finding& finding : shaders[s].findings)
            printFinding(finding, shaders[s].sources);
    }
}

}  // namespace millrace::tools
