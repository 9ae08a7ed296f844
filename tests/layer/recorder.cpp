// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace millrace::layertest {

namespace {

// The loader has opened the library; this is the same one.
template <typename Function>
Function find(const char* name)
{
    void* library = dlopen(MILLRACE_TEST_RECORDER, RTLD_NOW | RTLD_NOLOAD);
    EXPECT_NE(library, nullptr) << "no instance has the recorder layer";
    return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

}  // namespace

std::vector<Event> takeEvents()
{
    std::vector<Event> events;
    if (const auto take = find<TakeEvents>("millraceRecorderTake"))
        take([](const Event& event, void* user) { static_cast<std::vector<Event>*>(user)->push_back(event); }, &events);
    return events;
}

void loseDevice(const char* label)
{
    if (const auto lose = find<LoseDevice>("millraceRecorderLoseDevice"))
        lose(label);
}

}  // namespace millrace::layertest
