// SPDX-License-Identifier: Apache-2.0
// Measures versions of one program against each other: interleaved, each result checked, medians.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/suite/clocks.h"
#include "bench/suite/memory.h"
#include "bench/suite/programs.h"
#include "bench/suite/scratch.h"

namespace millrace::bench {

// How much work: of a GPU; of a software driver, in minutes; of a test, in seconds.
enum class Size { Full, Small, Smallest };
const char* nameOf(Size size);

struct Options {
    uint32_t runs = 11;
    Size size = Size::Full;
    bool peer = false;    // the published emulation's scheme as well
    bool growth = false;  // cases that show how time grows
    bool each = false;    // prints every run's time
};

enum class Role {
    Graph,  // the execution graph
    Hand,   // a program that does the same without one
    Peer,   // the published emulation's scheme
    Other,  // a bound, or something to compare with that does not do the same
};
const char* nameOf(Role role);

struct Version {
    Role role = Role::Hand;
    std::string name;
    std::function<void(VkCommandBuffer)> record;
};

struct Case {
    std::string name;
    std::vector<Version> versions;
    // Before each run, outside of the measured time.
    std::function<void(VkCommandBuffer)> prepare;
    // After each run: empty, or what is wrong.
    std::function<std::string()> check;
    VkDeviceSize scratchBytes = 0;  // of the graph
    // What grows along a series of cases, and how much of it there is here; "" if the case is of no series.
    std::string axis;
    double x = 0;
    // Of a case of a series: whose need of scratch memory is measured as well, and what is known of it.
    Graph* graph = nullptr;
    VkDeviceSize liveBytes = 0;
    // The version that a goal compares the graph with, if that is not the best program by hand.
    std::string goal;
};

// Microseconds.
struct Times {
    Role role = Role::Hand;
    std::string name;
    std::vector<double> runs;  // in ascending order
    double median() const { return runs[runs.size() / 2]; }
};

struct CaseResult {
    std::string workload;
    std::string name;
    std::vector<Times> versions;
    VkDeviceSize scratchBytes = 0;
    std::string axis;
    double x = 0;
    std::optional<ScratchNeed> scratch{};
    std::string goal{};

    // The median of the version with this name; of the fastest hand-written one. 0 if there is none.
    double of(const std::string& version) const;
    double graph() const;
    double hand() const;
};

// A figure that follows from several cases.
struct Figure {
    std::string workload;
    std::string name;
    double value = 0;
    std::string unit;
};

class Bench {
public:
    Bench(harness::Device& device, const Options& options);
    ~Bench();
    Bench(const Bench&) = delete;

    harness::Device& device() const { return m_device; }
    const Options& options() const { return m_options; }
    bool isSmall() const { return m_options.size != Size::Full; }
    // One of three values by size.
    template <typename T>
    T pick(T full, T small, T smallest) const
    {
        return m_options.size == Size::Full ? full : m_options.size == Size::Small ? small : smallest;
    }

    // Workgroups of 256 that fill the device, for kernels that stride over their work.
    uint32_t fullGrid() const;

    // What measure() and figure() say belongs to this workload.
    void begin(const std::string& workload) { m_workload = workload; }
    // Throws HarnessError if a result is wrong or a layer says anything.
    CaseResult measure(const Case& todo);
    // Whether one heap of the device's own memory has room for so much, and a fifth is left. If not, says that `what`
    // is left out.
    bool hasMemory(VkDeviceSize bytes, const std::string& what);
    // Likewise of workgroup memory.
    bool hasSharedMemory(uint32_t bytes, const std::string& what);
    // Times that were not taken by measure().
    void add(const std::string& name, std::vector<Times> versions);
    void figure(const std::string& name, double value, const std::string& unit);
    // Microseconds between timestamps before and behind what is recorded.
    double time(const std::function<void(VkCommandBuffer)>& record);
    // Before what is timed.
    void raiseClocks();
    void submit(const std::function<void(VkCommandBuffer)>& record);

    const std::vector<CaseResult>& results() const { return m_results; }
    const std::vector<Figure>& figures() const { return m_figures; }
    const std::vector<std::string>& leftOut() const { return m_leftOut; }

private:
    void runOnce(const Case& todo, const Version& version, std::vector<double>* times);
    bool hasRoom(VkDeviceSize bytes, VkDeviceSize most, const std::string& what);
    void measureScratch(const Case& todo, CaseResult& result);
    void print(const CaseResult& result) const;
    void finish(CaseResult result);

    harness::Device& m_device;
    Options m_options;
    VkQueryPool m_times = VK_NULL_HANDLE;
    std::optional<Clocks> m_clocks;  // of a software driver nobody raises them
    std::string m_workload;
    std::vector<CaseResult> m_results;
    std::vector<Figure> m_figures;
    std::vector<std::string> m_leftOut;
};

struct Workload {
    const char* name;
    const char* title;
    void (*run)(Bench& bench);
};

// All of them, in order.
const std::vector<Workload>& workloads();

}  // namespace millrace::bench
