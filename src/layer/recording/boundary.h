// SPDX-License-Identifier: Apache-2.0
// Where a command buffer is divided into streams, and what has to happen there before what follows is submitted.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer/recording/watched.h"

namespace millrace::layer {

// Work that only the device knows the end of. Called on the thread that submits, whenever the device has done what was
// submitted.
class Continuation : public Watched {
public:
    // Equal: what was submitted in between changed nothing.
    using Progress = std::array<uint64_t, 3>;

    virtual bool isComplete() const = 0;
    // isComplete() can be asked already, although what was submitted may still run. Called again and again meanwhile.
    virtual bool isDecided() const { return false; }
    // True if it pays to give the driver what follows before isComplete(): little runs behind the decision. What
    // follows does not see then what this writes on the host.
    virtual bool isSoonComplete() const { return false; }
    // In front of each submission of what is before it, which the one before has let go.
    virtual void forgetDecision() {}
    // In front of more. Returns how many times that may be submitted before the next look, `most` or fewer; 0: nothing
    // would come of it.
    virtual size_t prepare(size_t most) { return most; }
    virtual Progress progress() const = 0;
    // It is given up, since nothing changes any more.
    virtual void tellStalled() const = 0;
};

struct Boundary {
    enum class Kind {
        Follows,    // submitted together with what is before
        Waits,      // for all that is before
        Completes,  // and for the continuation, for which `more` is submitted until it is complete
    };

    static Boundary following() { return {nullptr, {}, true}; }
    Kind kind() const { return follows ? Kind::Follows : continuation ? Kind::Completes : Kind::Waits; }

    std::shared_ptr<Continuation> continuation;
    // In order; several are submitted one by one, each when the one before has completed.
    std::vector<VkCommandBuffer> more;
    bool follows = false;
};

}  // namespace millrace::layer
