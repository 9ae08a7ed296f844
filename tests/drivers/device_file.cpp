// SPDX-License-Identifier: Apache-2.0
#include "drivers/device_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

namespace millrace::drivers {

namespace {

constexpr VkBool32 kTrue = VK_TRUE;

std::string trimmed(const std::string& text)
{
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

const Limit* findLimit(const std::string& name)
{
    const auto found = std::ranges::find_if(limits(), [&](const Limit& limit) { return name == limit.name; });
    return found == limits().end() ? nullptr : &*found;
}

// Empty unless all words are numbers.
std::vector<uint64_t> numbersOf(const std::string& text)
{
    std::vector<uint64_t> out;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size())
            return {};
        out.push_back(value);
    }
    return out;
}

std::string addVersion(const std::vector<uint64_t>& numbers, DeviceFile& out)
{
    if (numbers.size() != 3)
        return "has to have three numbers";
    if (out.apiVersion != UINT32_MAX)
        return "is there twice";
    out.apiVersion = VK_MAKE_API_VERSION(0, static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]),
                                         static_cast<uint32_t>(numbers[2]));
    return "";
}

// Of those that are no limits: a device is so or is not.
std::string addFlag(const std::vector<uint64_t>& numbers, bool& out)
{
    if (numbers != std::vector<uint64_t>{1})
        return "can only be said (= 1)";
    return std::exchange(out, true) ? "is there twice" : "";
}

std::string addExtension(const std::string& name, DeviceFile& out)
{
    if (name != VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME)
        return "names an extension that no driver has for being named: " + name;
    return std::exchange(out.isPortabilitySubset, true) ? "is there twice" : "";
}

// Returns what is wrong, if anything.
std::string addLine(const std::string& line, DeviceFile& out)
{
    const size_t bar = line.find('|');
    if (bar == std::string::npos || trimmed(line.substr(bar + 1)).empty())
        return "says not where it is from (| source)";
    const std::string fact = trimmed(line.substr(0, bar));
    if (fact.starts_with("-VK_"))
        return out.hiddenExtensions.insert(fact.substr(1)).second ? "" : "is there twice";
    if (fact.starts_with("+VK_"))
        return addExtension(fact.substr(1), out);
    const size_t equals = fact.find('=');
    if (equals == std::string::npos)
        return "is neither NAME = VALUE nor -VK_EXTENSION nor +VK_EXTENSION";
    const std::string name = trimmed(fact.substr(0, equals));
    const std::vector<uint64_t> numbers = numbersOf(fact.substr(equals + 1));
    if (name == "apiVersion")
        return addVersion(numbers, out);
    if (name == "leastMemory" || name == "oneQueue")
        return addFlag(numbers, name == "oneQueue" ? out.hasOneQueue : out.hasLeastMemory);
    const Limit* limit = findLimit(name);
    if (!limit)
        return "is no feature and no limit that can be lowered: " + name;
    if (numbers.size() != limit->count)
        return "has to have numbers, so many: " + std::to_string(limit->count);
    if (limit->kind == Limit::Bool && numbers[0] > 0)
        return "can only be taken away (= 0)";
    return out.values.emplace(name, numbers).second ? "" : "is there twice";
}

template <typename T>
void lowerValue(std::byte* place, Limit::Direction direction, T wanted)
{
    T value;
    std::memcpy(&value, place, sizeof value);
    value = direction == Limit::AtMost    ? std::min(value, wanted)
            : direction == Limit::AtLeast ? std::max(value, wanted)
                                          : value & wanted;
    std::memcpy(place, &value, sizeof value);
}

// What a device with the extension has that is as good as any other.
void fillPortability(VkBaseOutStructure* item)
{
    if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_PROPERTIES_KHR)
        reinterpret_cast<VkPhysicalDevicePortabilitySubsetPropertiesKHR*>(item)->minVertexInputBindingStrideAlignment =
            1;
    for (const Limit& limit : limits())
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PORTABILITY_SUBSET_FEATURES_KHR &&
            limit.structure == item->sType)
            std::memcpy(reinterpret_cast<std::byte*>(item) + limit.offset, &kTrue, sizeof kTrue);
}

// Calls visit(limit, its values) for each that the structure has and the file says.
template <typename Visit>
void forEach(const std::map<std::string, std::vector<uint64_t>>& values, VkStructureType structure, const Visit& visit)
{
    for (const Limit& limit : limits())
        if (limit.structure == structure)
            if (const auto found = values.find(limit.name); found != values.end())
                visit(limit, found->second);
}

}  // namespace

void DeviceFile::lower(void* chain) const
{
    for (auto* item = static_cast<VkBaseOutStructure*>(chain); item; item = item->pNext) {
        auto* bytes = reinterpret_cast<std::byte*>(item);
        if (isPortabilitySubset)
            fillPortability(item);
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2) {
            uint32_t& version = reinterpret_cast<VkPhysicalDeviceProperties2*>(item)->properties.apiVersion;
            version = std::min(version, apiVersion);
        }
        forEach(values, item->sType, [&](const Limit& limit, const std::vector<uint64_t>& wanted) {
            for (uint32_t i = 0; i < limit.count; ++i)
                if (limit.kind == Limit::Long)
                    lowerValue<uint64_t>(bytes + limit.offset + i * 8, limit.direction, wanted[i]);
                else
                    lowerValue<uint32_t>(bytes + limit.offset + i * 4, limit.direction,
                                         static_cast<uint32_t>(wanted[i]));
        });
    }
}

bool DeviceFile::enablesMore(const void* chain) const
{
    bool more = false;
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext) {
        const auto* bytes = reinterpret_cast<const std::byte*>(item);
        forEach(values, item->sType, [&](const Limit& limit, const std::vector<uint64_t>&) {
            VkBool32 value = VK_FALSE;
            std::memcpy(&value, bytes + limit.offset, sizeof value);
            more = more || (limit.kind == Limit::Bool && value);
        });
    }
    return more;
}

Result<DeviceFile> parseDevice(const std::string& text)
{
    DeviceFile file;
    std::istringstream in(text);
    std::string line;
    for (uint32_t number = 1; std::getline(in, line); ++number) {
        line = trimmed(line);
        if (line.empty() || line[0] == '#')
            continue;
        if (const std::string wrong = addLine(line, file); !wrong.empty())
            return Diagnostic{"device file", "line " + std::to_string(number), wrong};
    }
    return file;
}

}  // namespace millrace::drivers
