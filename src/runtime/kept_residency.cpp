// SPDX-License-Identifier: Apache-2.0
#include "runtime/kept_residency.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace millrace::runtime {

namespace {

constexpr uint32_t kMostGroups = 1u << 20;  // more than any device runs at once
// %u four times: measurements, small, large, and a sum that a file cut short or mixed up does not have.
constexpr const char* kFormat = "millrace residency 1: %u measurements, %u and %u workgroups, sum %u\n";

std::string pathOf(const std::string& folder, const DeviceIdentity& identity)
{
    std::string name = folder + "/residency-";
    for (const uint8_t byte : identity) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        name += digits;
    }
    return name;
}

uint32_t sumOf(const KeptResidency& kept)
{
    return kept.measurements + kept.residency.small + kept.residency.large;
}

}  // namespace

void KeptResidency::add(const Residency& measured)
{
    residency.small = std::max(residency.small, measured.small);
    residency.large = std::max(residency.large, measured.large);
    ++measurements;
}

KeptResidency readKeptResidency(const std::string& folder, const DeviceIdentity& identity)
{
    if (folder.empty())
        return {};
    std::string line;
    std::ifstream file(pathOf(folder, identity));
    std::getline(file, line);
    KeptResidency kept;
    uint32_t sum = 0;
    const int found =
        std::sscanf(line.c_str(), kFormat, &kept.measurements, &kept.residency.small, &kept.residency.large, &sum);
    const bool isLikely = kept.measurements > 0 && kept.residency.small > 0 && kept.residency.small <= kMostGroups &&
                          kept.residency.large <= kMostGroups;
    return found == 4 && isLikely && sum == sumOf(kept) ? kept : KeptResidency{};
}

void writeKeptResidency(const std::string& folder, const DeviceIdentity& identity, const KeptResidency& kept)
{
    if (folder.empty())
        return;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const std::string path = pathOf(folder, identity);
    const std::string mine = path + "." + std::to_string(getpid());
    char line[160];
    std::snprintf(line, sizeof line, kFormat, kept.measurements, kept.residency.small, kept.residency.large,
                  sumOf(kept));
    {
        std::ofstream file(mine, std::ios::trunc);
        file << line << std::flush;
        if (!file) {
            std::filesystem::remove(mine, ignored);
            return;
        }
    }
    std::filesystem::rename(mine, path, ignored);
    if (ignored)
        std::filesystem::remove(mine, ignored);
}

}  // namespace millrace::runtime
