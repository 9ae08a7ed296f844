// SPDX-License-Identifier: Apache-2.0
// Base of GoogleTest tests that use Vulkan: every message of a layer fails the test that caused it.
#pragma once

#include <gtest/gtest.h>

#include "harness/runner.h"

namespace millrace::harness {

class VulkanTest : public testing::Test {
protected:
    static Device& device(const DeviceOptions& options = {})
    {
        used().push_back(&sharedDevice(options));
        return *used().back();
    }

    void SetUp() override { used().clear(); }

    void TearDown() override
    {
        for (Device* item : used())
            for (const std::string& message : item->takeMessages())
                ADD_FAILURE() << message;
    }

    // Takes all messages; fails unless one of them contains `part`.
    static void expectMessage(Device& from, const std::string& part)
    {
        std::string all;
        for (const std::string& message : from.takeMessages())
            all += message + "\n";
        EXPECT_NE(all.find(part), std::string::npos) << "said: " << (all.empty() ? "nothing" : all);
    }

private:
    static std::vector<Device*>& used()
    {
        static std::vector<Device*> devices;
        return devices;
    }
};

}  // namespace millrace::harness
