// SPDX-License-Identifier: Apache-2.0
#include "tools/info/tried.h"

namespace millrace::tools {

namespace {

// VK_DRIVER_ID_MESA_KOSMICKRISP, which headers of Vulkan 1.4.309 lack.
constexpr uint32_t kKosmicKrisp = 28;

struct Row {
    uint32_t driver;
    Tried tried;
};

constexpr const char* kSimulated =
    "nobody has run graphs on this driver; all of conformance passes on lavapipe with no more than this driver says";

constexpr Row kRows[] = {
    {VK_DRIVER_ID_MESA_LLVMPIPE, {"run", "all tests run on this driver"}},
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
     {"run", "conformance, programs and random graphs run on this driver, as far as it has their integers"}},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY,
     {"run",
      "conformance, programs, examples and random graphs were run on H100 and H200; Pascal is simulated on lavapipe"}},
    {VK_DRIVER_ID_MESA_RADV,
     {"compiled",
      "nobody has run graphs on this driver; its compiler takes those of the tests, and all of conformance "
      "passes on lavapipe with no more than a Polaris has"}},
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA,
     {"compiled",
      "nobody has run graphs on this driver; its compiler takes those of the examples and some random ones"}},
    {VK_DRIVER_ID_MESA_NVK,
     {"compiled",
      "nobody has run graphs on this driver; its compiler takes those of the examples and some random ones"}},
    {VK_DRIVER_ID_MOLTENVK, {"simulated", kSimulated}},
    {kKosmicKrisp, {"simulated", kSimulated}},
    {VK_DRIVER_ID_MESA_PANVK, {"simulated", kSimulated}},
    {VK_DRIVER_ID_MESA_TURNIP, {"simulated", kSimulated}},
    {VK_DRIVER_ID_MESA_V3DV, {"simulated", kSimulated}},
    {VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS, {"simulated", kSimulated}},
};

}  // namespace

Tried whatWasTried(VkDriverId driver)
{
    for (const Row& row : kRows)
        if (row.driver == static_cast<uint32_t>(driver))
            return row.tried;
    return {"believed", "nobody has run or simulated graphs on this driver"};
}

}  // namespace millrace::tools
