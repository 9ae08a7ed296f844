// SPDX-License-Identifier: Apache-2.0
// Measures a scene: all ways in turn, and all pictures compared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu.h"
#include "bench/mesh/way.h"

namespace millrace::bench {

struct Options {
    std::string device;
    uint32_t runs = 11;
    bool isSmall = false;
    std::string only;
    std::string json;
    std::string pictures;
};

// Devices are made when something first runs on them.
class Devices {
public:
    explicit Devices(std::string name) : m_name(std::move(name)) {}

    Gpu& driver();  // without the layer, with its own mesh shaders if it has some
    Gpu& layer();   // the layer's mesh shaders
    Gpu& nodes();   // mesh nodes by the layer, mesh shaders by the driver
    Gpu& nodesAndShaders();

private:
    Gpu& get(std::unique_ptr<Gpu>& gpu, Provider provider, Extension extension);

    const std::string m_name;
    std::unique_ptr<Gpu> m_driver, m_layer, m_nodes, m_both;
};

// Microseconds.
struct Version {
    std::string name;
    std::string role;  // "graph" of the layer, "hand", "other"
    double frame = 0, least = 0, most = 0;
    double compute = 0;
    double recording = 0;
    size_t differing = 0;  // pixels
};

struct Result {
    std::string name;
    std::vector<Version> versions;
    std::optional<Counts> counts;  // what is drawn
    uint64_t bytes = 0;            // that have to be read and written for it

    const Version* find(const std::string& name) const;
};

// What the versions are called.
inline constexpr char kNative[] = "native";
inline constexpr char kEmulated[] = "layer";
inline constexpr char kHand[] = "by hand";
inline constexpr char kNodes[] = "graph, native mesh shaders";

// Throws std::runtime_error if pictures differ.
Result measure(Devices& devices, const Scene& scene, const Options& options);

}  // namespace millrace::bench
