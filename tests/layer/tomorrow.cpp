// SPDX-License-Identifier: Apache-2.0
#include "layer/tomorrow.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace millrace::layertest {

std::vector<Arrival> takeArrivals()
{
    std::vector<Arrival> arrivals;
    // The loader has opened the library; this is the same one.
    void* library = dlopen(MILLRACE_TEST_TOMORROW, RTLD_NOW | RTLD_NOLOAD);
    EXPECT_NE(library, nullptr) << "no instance has the layer";
    if (!library)
        return arrivals;
    reinterpret_cast<TakeArrivals>(dlsym(library, "millraceTomorrowTake"))(
        [](const Arrival& arrival, void* user) { static_cast<std::vector<Arrival>*>(user)->push_back(arrival); },
        &arrivals);
    return arrivals;
}

VkTomorrowEXT tomorrow(const void* next)
{
    static constexpr uint32_t kValues[] = {1, 20, 300};
    VkTomorrowEXT made;
    made.pNext = next;
    made.valueCount = 3;
    made.pValues = kValues;
    made.large[99] = 5;  // the end of the structure has to arrive, too
    return made;
}

std::multiset<uint64_t> valuesOf(const std::vector<Arrival>& arrivals, const std::string& command)
{
    std::multiset<uint64_t> values;
    for (const Arrival& arrival : arrivals)
        if (arrival.command == command)
            values.insert(arrival.value);
    return values;
}

}  // namespace millrace::layertest
