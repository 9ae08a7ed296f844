// SPDX-License-Identifier: Apache-2.0
// Structures of extensions that are newer than the Vulkan headers which the layer was built with. Wherever a chain goes
// to the driver during the call, they go with it. Where a call has to be made again later they cannot be kept, since
// nothing is known of what they point to.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::layer {

class Messages;
struct ObjectReference;

using StructureTypes = std::vector<VkStructureType>;

// Those of a chain that a deep copy of it does not have.
StructureTypes unknownStructures(const void* chain);
bool hasUnknownStructures(const void* chain);
// Those of `original` that are not in `copy`, which was made of it.
StructureTypes missingStructures(const void* original, const void* copy);

// Adds those that are not there yet.
void addStructures(StructureTypes& types, const StructureTypes& more);

// What it means that PatchedChain had to leave one out.
inline constexpr char kCannotCopy[] = "the driver does not get it, since the system does not let the layer copy it";

// Or that the layer makes the object alone.
inline constexpr char kLayerAlone[] = "nobody gets it, since the layer makes this object without the driver";

// Or that it runs the command alone.
inline constexpr char kLayerRuns[] = "nobody gets it, since the layer runs this command without the driver";

// Or that it makes another one, when the call has returned.
inline constexpr char kMadeLater[] =
    "what the layer makes of this object when it is used goes without it, since the layer cannot keep it";

// Tells of each structure once for each command. Thread-safe.
class UnknownStructures {
public:
    // `consequence` follows "which is newer than the layer: ".
    void tell(const Messages& messages, const ObjectReference& object, std::string_view command,
              const StructureTypes& types, std::string_view consequence);

private:
    std::mutex m_mutex;
    std::set<std::pair<std::string, VkStructureType>> m_told;
};

}  // namespace millrace::layer
