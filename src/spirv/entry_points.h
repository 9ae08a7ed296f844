// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"
#include "spirv/reach.h"

namespace millrace::spirv {

// The entry points of a module, each of which can be had by itself. What that takes depends on what the entry point
// reaches, and not on how large the module is. The module must outlive this object and stay as it is. Thread-safe.
class EntryPoints {
public:
    explicit EntryPoints(const Module& module);

    bool contains(std::string_view name, spv::ExecutionModel model) const { return !find(name, model).empty(); }
    // What extractEntryPoint() (edit.h) leaves of the module, with the same errors.
    Result<Module> extract(std::string_view name, spv::ExecutionModel model) const;

private:
    // Where an instruction is that stays with an id. Those behind the last function are a list of their own.
    struct Place {
        uint32_t id;
        uint32_t list;
        uint32_t index;
    };
    static constexpr uint32_t kTrailing = kSectionCount;
    static constexpr uint32_t kListCount = kSectionCount + 1;
    using Places = std::array<std::vector<uint32_t>, kListCount>;

    std::vector<const Instruction*> find(std::string_view name, spv::ExecutionModel model) const;
    const InstructionList& listOf(uint32_t list) const;
    void findPlaces();
    std::span<const Place> placesOf(Id id) const;
    void findInputs();
    Instruction withOneInput(const Instruction& entryPoint, const Reach& ofOwn) const;
    Reach reachOf(const Instruction& own, const Instruction& kept) const;
    Places placesOf(const Reach& reach) const;
    Module copyOf(const Reach& reach, const Instruction& entryPoint) const;

    const Module& m_module;
    const ReachIndex m_index;
    std::map<std::pair<spv::ExecutionModel, std::string>, std::vector<const Instruction*>> m_byName;
    std::unordered_map<uint32_t, size_t> m_functions;  // by id
    std::vector<Place> m_places;                       // by id
    Places m_always;
    std::unordered_map<uint32_t, bool> m_isInputRead;  // of input payloads: whether an entry point's code reads it
    std::vector<Id> m_unreadInputs;
};

}  // namespace millrace::spirv
