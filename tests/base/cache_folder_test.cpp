// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace millrace {

namespace {

struct Variables {
    Variables(const char* caches, const char* home)
    {
        set("XDG_CACHE_HOME", caches);
        set("HOME", home);
    }

    static void set(const char* name, const char* value)
    {
        if (value)
            setenv(name, value, 1);
        else
            unsetenv(name);
    }
};

TEST(CacheFolder, AsTheUserSays)
{
    const Variables variables("/caches", "/home/somebody");
    EXPECT_EQ(cacheFolder(), "/caches/millrace");
}

TEST(CacheFolder, InTheHomeFolder)
{
    for (const char* caches : {static_cast<const char*>(nullptr), "", "relative"}) {
        const Variables variables(caches, "/home/somebody");
        EXPECT_EQ(cacheFolder(), "/home/somebody/.cache/millrace");
    }
}

TEST(CacheFolder, Nowhere)
{
    for (const char* home : {static_cast<const char*>(nullptr), "", "relative"}) {
        const Variables variables(nullptr, home);
        EXPECT_EQ(cacheFolder(), "");
    }
}

}  // namespace

}  // namespace millrace
