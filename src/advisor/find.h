// SPDX-License-Identifier: Apache-2.0
// The parts that findIn() consists of. Each appends what it finds for one GPU; topic and GPU are filled in by it.
#pragma once

#include <vector>

#include "advisor/findings.h"

namespace millrace::advisor {

using FindingList = std::vector<Finding>;

// Invocations of the hardware that do nothing, and several exports of one (find_launch.cpp).
void findIdleInvocations(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findPartialWaves(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findOneMoreWave(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findExportRows(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findBarriers(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findWorkgroupId(const Facts& facts, const GpuPlan& plan, FindingList& out);

// Local data share (find_lds.cpp).
void findForeignOutputs(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findDistances(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findSpilledOutputs(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findTooMuchShared(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findLowOccupancy(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findManyRegisters(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findPointSize(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findConstantCounts(const Facts& facts, const GpuPlan& plan, FindingList& out);

// Task shaders (find_task.cpp).
void findPayloadAtomics(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findLargePayload(const Facts& facts, const GpuPlan& plan, FindingList& out);
void findConstantLaunch(const Facts& facts, const GpuPlan& plan, FindingList& out);

// "1 vertex", "2 vertices"; and lists: "a", "a and b", "a, b and c".
std::string counted(uint64_t number, const std::string& one, const std::string& several);
std::string listed(const std::vector<std::string>& words);
std::string bytesOf(uint64_t bytes);  // "1,024 bytes"

// Those with a line, each once, in order.
std::vector<Place> knownPlaces(std::vector<Place> places);

}  // namespace millrace::advisor
