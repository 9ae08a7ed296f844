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

}  // namespace millrace::layertest
