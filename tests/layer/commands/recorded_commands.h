// SPDX-License-Identifier: Apache-2.0
// Commands that record, called through the layer and without it, and comparisons of what the driver gets.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "layer/commands/arguments.h"
#include "layer/fake_driver.h"

namespace millrace::layertest {

inline constexpr Shape kShapes[] = {Shape::Full, Shape::Single, Shape::Bare, Shape::Tomorrow};

bool isRecorded(const Command& command);
// Those that the layer intercepts.
std::vector<const Command*> recordedCommands();

// What a driver gets without the layer, and leaves in the application's memory.
struct Direct {
    std::vector<Call> calls;
    std::string memory;

    Direct(const Command& command, const Dispatchables& objects, Shape shape, uint32_t number);
};

Dispatchables objectsOf(const FakeDriver& driver, VkCommandBuffer commandBuffer, VkCommandBuffer other);

// Where a command buffer is when a command comes.
enum class Place { Outside, InRendering, Conditional };
inline constexpr Place kPlaces[] = {Place::Outside, Place::InRendering, Place::Conditional};

bool isAllowed(const Command& command, Place place);
void enter(VkCommandBuffer cmd, Place place);

std::string describe(const Command& command, Shape shape, Place place);
std::string textOf(const std::vector<Call>& calls);
std::string firstDifference(const std::string& got, const std::string& wanted);

// What the layer says of structures that are newer than it (message Millrace-unknown-structure): once for each command
// and type. Requires: the driver outlives it.
class ToldOfUnknown {
public:
    // `then` is called when something is told.
    explicit ToldOfUnknown(const FakeDriver& driver, std::function<void()> then = {});
    ~ToldOfUnknown();
    ToldOfUnknown(const ToldOfUnknown&) = delete;
    ToldOfUnknown& operator=(const ToldOfUnknown&) = delete;

    // True if it was said of the command, or of the one that it is a newer version of.
    bool has(const Command& command) const;

private:
    static VKAPI_ATTR VkBool32 VKAPI_CALL callBack(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* user);

    const FakeDriver& m_driver;
    const std::function<void()> m_then;
    mutable std::mutex m_mutex;
    std::set<std::string, std::less<>> m_commands;
};

// What textOfInputs() says, but for the structures that are newer than all headers.
std::string withoutUnknown(const std::string& arguments);

// True if it is that command, with any arguments.
bool isCallOf(const Call& call, const Command& command);
void expectSame(const std::vector<Call>& got, const Call& wanted, const Command& command, VkCommandBuffer target,
                const std::string& what);

// Begin and end are no state, though the registry says so of some: what has begun is continued by whom it belongs to.
bool isState(const Command& command);
// By their names, not by the layer's tables.
bool readsWhatIsBound(std::string_view name);

class RecordedCommands : public testing::Test {
protected:
    // Calls `test` with a command buffer in each place where a command may be.
    template <typename Test>
    void forEach(const Test& test, Version version = Version::All, const std::vector<VkLayerSettingEXT>& settings = {})
    {
        FakeDriver driver(version, Provided::Graphs, settings);
        m_told = std::make_unique<ToldOfUnknown>(driver);
        const VkCommandBuffer other = driver.begin();
        for (const Command* command : recordedCommands())
            for (Shape shape : kShapes)
                for (Place place : kPlaces) {
                    if (version == Version::Vulkan13 && command->isOfVulkan14)
                        continue;
                    if (!isAllowed(*command, place))
                        continue;
                    const VkCommandBuffer cmd = driver.begin();
                    const Dispatchables objects = objectsOf(driver, cmd, other);
                    enter(cmd, place);
                    const std::string what = describe(*command, shape, place);
                    test(driver, *command, shape, objects, what);
                    FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
                    FakeDriver::takeAllCalls();
                }
        m_told.reset();
    }

    // Where the layer is, and where it is not.
    static void compare(const Command& command, Shape shape, const Dispatchables& objects, uint32_t number,
                        const std::string& what);

    // Calls the command, and `goOn`, which goes on in another command buffer of the driver's: what the command has set
    // is set there again, once, behind what `goOn` runs there, and nothing else is done again.
    // Structures that are newer than all headers are not: false if the command has such, and sets state.
    static bool expectStateGivenAgain(const Command& command, Shape shape, const Dispatchables& objects,
                                      const std::string& what, const std::function<void()>& goOn);

    // In forEach().
    bool isTold(const Command& command) const { return m_told->has(command); }

private:
    std::unique_ptr<ToldOfUnknown> m_told;
};

}  // namespace millrace::layertest
