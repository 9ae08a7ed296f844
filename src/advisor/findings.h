// SPDX-License-Identifier: Apache-2.0
// What costs time or memory in a mesh or task shader, in words, with where it stands and what to do about it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advisor/facts.h"
#include "advisor/gpu.h"
#include "advisor/launch.h"
#include "advisor/lds_plan.h"
#include "advisor/occupancy.h"

namespace millrace::advisor {

// A shader on a GPU, in waves of 64, which are RADV's choice for mesh shaders, and of 32.
struct GpuPlan {
    Gpu gpu;
    LdsPlan lds;
    Launch wide;
    Launch narrow;
    Occupancy wideOccupancy;
    Occupancy narrowOccupancy;
    uint32_t registers = 0;  // estimated
};
GpuPlan planFor(const Facts& facts, const Gpu& gpu);

struct Finding {
    enum class Kind { Problem, Hint };
    Kind kind = Kind::Hint;
    std::string topic;              // one of findingTopics()
    std::vector<std::string> gpus;  // names of those that it is about
    std::vector<Place> places;      // may be empty; none has line 0
    std::string text;
    std::string cost;
    std::string advice;
};

std::span<const std::string_view> findingTopics();

// Problems first, each in the order of findingTopics(). What is the same on several GPUs is one finding.
std::vector<Finding> findIn(const Facts& facts, std::span<const GpuPlan> plans);

}  // namespace millrace::advisor
