// SPDX-License-Identifier: Apache-2.0
// Whether a driver runs a shader with a reference to a buffer that gets its value behind a branch (docs/drivers.md,
// "What SwiftShader does"), and the same with an address in its place, as our shaders have it. usage:
// reference_behind_branch [--crashes]. The exit status is 0 if both run; with --crashes, if the first ends the process
// and the second runs; 77 then, if both run.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "drivers/bare_device.h"
#include "shaders/reference_behind_branch_shaders.h"

namespace millrace::drivers {

namespace {

constexpr int kFaultIsGone = 77;
constexpr uint32_t kWritten = 7;

struct Arguments {
    VkDeviceAddress address;
    uint32_t isWritten;
};

bool runs(std::span<const uint32_t> shader)
{
    const VkInstance instance = createInstance();
    BareDevice device(findDevice(instance, wantedDevice()), 0, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                      sizeof(Arguments));
    device.words()[0] = 0;
    const VkPipeline pipeline = device.createPipeline(shader);
    const VkCommandBuffer commands = device.begin();
    const Arguments arguments{device.address(), 1};
    device.bind(commands, pipeline);
    device.push(commands, &arguments, sizeof(arguments));
    vkCmdDispatch(commands, 1, 1, 1);
    device.run(commands);
    return device.words()[0] == kWritten;
}

// In a process of its own, since it may end it.
bool runsApart(const char* what, std::span<const uint32_t> shader)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        try {
            _exit(runs(shader) ? 0 : 1);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            _exit(2);
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::printf("%s behind a branch: %s\n", what,
                good                  ? "runs"
                : WIFSIGNALED(status) ? "ends the process"
                                      : "does not write what it should");
    return good;
}

}  // namespace

}  // namespace millrace::drivers

int main(int argc, char** argv)
{
    using namespace millrace;
    const bool crashes = argc > 1 && std::string_view(argv[1]) == "--crashes";
    const bool reference = drivers::runsApart("a reference", shaders::reference_behind_branch);
    const bool address = drivers::runsApart("an address", shaders::address_behind_branch);
    if (!address)
        return 1;
    if (crashes)
        return reference ? drivers::kFaultIsGone : 0;
    return reference ? 0 : 1;
}
