// SPDX-License-Identifier: Apache-2.0
// Work of the layer's that the device does in steps, such as a graph: when the device is lost or takes too long, it can
// be said in which.
#pragma once

#include <vulkan/vulkan.h>

#include <optional>
#include <string>

#include "layer/recording/boundary.h"
#include "runtime/runtime.h"

namespace millrace::layer {

// Any thread, any time.
class Stepped : public Continuation {
public:
    // Where the device is in it. None where nothing tells (setting "breadcrumbs").
    virtual std::optional<runtime::Progress> step() const = 0;
    // As messages call it.
    virtual std::string name() const = 0;
    // The application's, that it was recorded in.
    virtual VkCommandBuffer recordedIn() const = 0;
};

}  // namespace millrace::layer
