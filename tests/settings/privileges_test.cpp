// SPDX-License-Identifier: Apache-2.0
// What a set-uid program leaves out. The system is played by a function in the place of getauxval().
#include <gtest/gtest.h>

#include <sys/auxv.h>

#include "base/system.h"
#include "settings/settings.h"

namespace {

bool g_isSecure = false;

}  // namespace

extern "C" unsigned long __real_getauxval(unsigned long type);
extern "C" unsigned long __wrap_getauxval(unsigned long type)
{
    return type == AT_SECURE ? (g_isSecure ? 1 : 0) : __real_getauxval(type);
}

namespace millrace::settings {

namespace {

Settings read(bool isSecure, std::vector<std::string>& problems)
{
    g_isSecure = isSecure;
    const char* trace = "t.mrtrace";
    const char* capture = "node";
    const char* file = "c.csv";
    const VkLayerSettingEXT settings[] = {
        {kLayerName, "trace", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &trace},
        {kLayerName, "capture", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &capture},
        {kLayerName, "capture_file", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &file},
    };
    VkLayerSettingsCreateInfoEXT layerSettings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    layerSettings.settingCount = static_cast<uint32_t>(std::size(settings));
    layerSettings.pSettings = settings;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pNext = &layerSettings;
    return readSettings(info, problems);
}

TEST(Privileges, AsWhoeverStartedIt_SettingsMayNameFiles)
{
    std::vector<std::string> problems;
    const Settings settings = read(false, problems);
    EXPECT_EQ(settings.trace, "t.mrtrace");
    EXPECT_EQ(settings.capture, "node");
    EXPECT_EQ(settings.captureFile, "c.csv");
    EXPECT_TRUE(problems.empty());
}

TEST(Privileges, MoreThanWhoeverStartedIt_SettingsNameNoFiles)
{
    std::vector<std::string> problems;
    const Settings settings = read(true, problems);
    EXPECT_EQ(settings.trace, "");
    EXPECT_EQ(settings.capture, "");
    EXPECT_EQ(settings.captureFile, "");
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_NE(problems[0].find("setting trace is ignored"), std::string::npos) << problems[0];
    EXPECT_NE(problems[1].find("setting capture_file is ignored"), std::string::npos) << problems[1];
}

}  // namespace

}  // namespace millrace::settings
