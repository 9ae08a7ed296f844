// SPDX-License-Identifier: Apache-2.0
// Cases of generated draws, and what they draw.
#include <algorithm>
#include <cstring>

#include "commands/draws.h"

namespace millrace::commandtest {

namespace {

// The shaders points.vert and points.frag, in the order of the API.
void addDraw(Picture& picture, const PushWords& push, const Draw& draw, const std::optional<Vertices>& vertices,
             const Indices& indices, uint32_t salt, uint32_t fragment, std::optional<uint32_t> view)
{
    for (uint32_t instance = 0; instance < draw.instances; ++instance)
        for (uint32_t i = 0; i < draw.count; ++i) {
            const uint32_t vertex = draw.isIndexed ? indices.at(draw.first + i) + draw.base : draw.base + i;
            uint32_t hash = lookupWord(push[1] % kLookupWords) + salt;
            for (uint32_t k = 0; k < 9; ++k)
                hash = mixed(hash, push[k]);
            hash = mixed(mixed(hash, vertex), draw.firstInstance + instance);
            if (driverHasDrawParameters())
                hash = mixed(mixed(mixed(hash, draw.base), draw.firstInstance), draw.drawIndex);
            if (vertices) {
                const uint32_t element = vertices->firstWord + vertex * vertices->strideWords;
                for (uint32_t k = 0; k < 3; ++k)
                    hash = mixed(hash, vertexMemoryWord(element + k));
                hash = mixed(hash, instanceWord(draw.firstInstance + instance));
            }
            if (view)
                hash = mixed(hash, *view);
            const uint32_t pixel = hash % (kSide * kSide);
            const uint32_t shaded =
                fragment == kMoreFragment ? mixed(hash, ~hash) : hash + kFragmentSalts[fragment - kFragmentBase];
            picture.last[pixel] = mixed(mixed(mixed(mixed(shaded, push[9]), push[10]), push[11]), push[0]);
            picture.drawn[pixel].push_back(picture.last[pixel]);
        }
}

ActionToken actionOf(bool isIndexed, bool isCounted, bool hasMesh)
{
    if (hasMesh)
        return isCounted ? ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT, 4}
                         : ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT, 3};
    if (isCounted)
        return {isIndexed ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_COUNT_EXT
                          : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT,
                4};
    return isIndexed ? ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 5}
                     : ActionToken{VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT, 4};
}

}  // namespace

bool Picture::allows(const Pixels& pixels, bool isUnordered) const
{
    if (!isUnordered)
        return pixels == last;
    for (uint32_t i = 0; i < kSide * kSide; ++i)
        if (drawn[i].empty() ? pixels[i] != 0 : std::ranges::count(drawn[i], pixels[i]) == 0)
            return false;
    return true;
}

DrawCase::DrawCase(uint32_t seed, Maker maker)
    : random(seed),
      isIndexed(below(random, 2) && !usesMesh(maker)),
      isCounted(below(random, 3) == 0 && !usesStreams(maker)),
      hasSet(maker != Maker::Libraries && below(random, 3) == 0),
      hasObjects(usesObjects(maker)),
      hasStreams(usesStreams(maker)),
      isUnordered(below(random, 2)),
      hasIndices(isIndexed && below(random, 2)),
      hasVertices(below(random, 2) && !usesMesh(maker)),
      hasMesh(usesMesh(maker)),
      hasTasks(hasMesh && below(random, 2)),
      layout(random, usesMesh(maker) ? kMeshStages : kStages, actionOf(isIndexed, isCounted, hasMesh),
             {.set = hasSet,
              .setWords = !hasObjects ? 1u
                          : hasTasks  ? 3u
                                      : 2u,
              .vertices = hasVertices,
              .indices = hasIndices,
              .numbers = !hasStreams})
{
    if (hasMesh && !hasTasks)
        layout.set.shaderStages &= ~VkShaderStageFlags{VK_SHADER_STAGE_TASK_BIT_EXT};
    // The layer waits for each draw with mesh shaders of its own, and with each wait the validation layer looks at all
    // draws before: fewer of the longest.
    const uint32_t longest = !hasMesh || below(random, 4) == 0 ? 1000 : 200;
    maxSequences = 1 + below(random, below(random, 4) == 0 ? longest : 30);
    if (isCounted)
        maxDraws = 1 + below(random, 5);
    if (below(random, 3) == 0)
        deviceCount = below(random, 2 * maxSequences);
    isExplicit = below(random, 2);
    inSecondary = below(random, 4) == 0;
    hasRenderPass = below(random, 3) == 0 && !usesObjects(maker);
    for (uint32_t& word : pushed)
        word = static_cast<uint32_t>(random());
    stream.resize(size_t{maxSequences} * layout.strideWords);
    for (uint32_t& word : stream)
        word = static_cast<uint32_t>(random());
    for (uint32_t i = 0; i < maxSequences; ++i)
        drawRecord(&stream[size_t{i} * layout.strideWords]);
}

void DrawCase::limitCounts()
{
    if (deviceCount)
        deviceCount = std::min(*deviceCount, maxSequences);
    for (Counted& one : counted)
        one.count = std::min(one.count, maxDraws);
}

namespace {

// More of the same.
template <typename Element>
void repeat(std::vector<Element>& list, size_t size)
{
    const size_t before = list.size();
    if (before == 0)
        return;
    list.resize(size);
    for (size_t i = before; i < size; ++i)
        list[i] = list[i - before];
}

}  // namespace

void DrawCase::setSequences(uint32_t count)
{
    maxSequences = count;
    deviceCount.reset();
    repeat(stream, size_t{count} * layout.strideWords);
    repeat(counted, count);
    repeat(vertices, count);
    repeat(indices, count);
}

void DrawCase::drawRecord(uint32_t* record)
{
    if (hasSet)
        record[saltWord()] = below(random, static_cast<uint32_t>(std::size(kDrawSalts)));
    if (hasSet && hasObjects && !hasMesh) {
        const bool hasMore = below(random, 4) == 0;
        if (hasMore)
            record[layout.setWord] = kMoreVertex;
        record[layout.setWord + 1] = kFragmentBase + below(random, kMoreFragment - kFragmentBase + hasMore);
    }
    if (hasSet && hasObjects && hasMesh)
        record[layout.setWord] = kMeshFragment;
    if (hasSet && hasObjects && hasTasks)
        record[layout.setWord + 1] = kTask;
    vertices.push_back({below(random, kVertexMemoryWords - kVertexBufferWords), 3 + below(random, 5)});
    indices.push_back({below(random, kIndices - kIndexBufferWords), below(random, 2) == 1});
    if (!isCounted) {
        drawCommand(record + layout.actionWord);
        return;
    }
    const Counted own{static_cast<uint32_t>(commands.size()), commandWords() + below(random, 3),
                      below(random, maxDraws + 2)};
    counted.push_back(own);
    // Drivers look the address up, also where there are no commands.
    commands.resize(commands.size() + size_t{std::max(own.count, 1u)} * own.strideWords);
    for (uint32_t i = 0; i < own.count; ++i)
        drawCommand(&commands[own.firstWord + i * own.strideWords]);
}

void DrawCase::drawCommand(uint32_t* command)
{
    if (hasMesh) {
        for (uint32_t k = 0; k < 3; ++k)
            command[k] = below(random, 4 - k);
        return;
    }
    command[0] = below(random, 6);
    command[1] = below(random, 4);
    command[2] = below(random, 40);
    command[3] = below(random, 50);
    if (isIndexed)
        command[4] = below(random, 50);
    // Below 0 by more than there are instances (docs/generated-commands.md).
    if (isIndexed && !hasVertices && below(random, 2))
        command[3] = 0u - 4 - below(random, 16);
    if (!driverStartsInstances())
        command[isIndexed ? 4 : 3] = 0;
}

void DrawCase::placeCommands(VkDeviceAddress memory)
{
    for (uint32_t i = 0; isCounted && i < maxSequences; ++i) {
        const VkDrawIndirectCountIndirectCommandEXT command{memory + counted[i].firstWord * 4,
                                                            counted[i].strideWords * 4, counted[i].count};
        std::memcpy(&stream[size_t{i} * layout.strideWords + layout.actionWord], &command, sizeof command);
    }
}

void DrawCase::placeVertices(VkDeviceAddress memory)
{
    for (uint32_t i = 0; hasVertices && i < maxSequences; ++i) {
        VkBindVertexBufferIndirectCommandEXT command{};
        command.bufferAddress = memory + vertices[i].firstWord * 4;
        command.size = kVertexBufferWords * 4;
        command.stride = vertices[i].strideWords * 4;
        std::memcpy(&stream[size_t{i} * layout.strideWords + static_cast<uint32_t>(layout.vertexWord)], &command,
                    sizeof command);
    }
}

void DrawCase::placeIndices(VkDeviceAddress memory)
{
    const bool isDxgi = layout.indexBuffer.mode == VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT;
    for (uint32_t i = 0; hasIndices && i < maxSequences; ++i) {
        VkBindIndexBufferIndirectCommandEXT command{};
        command.bufferAddress = memory + indices[i].firstWord * 4;
        command.size = kIndexBufferWords * 4;
        // DXGI_FORMAT_R16_UINT and DXGI_FORMAT_R32_UINT, which the enumeration does not have.
        const uint32_t type =
            indices[i].isHalf ? (isDxgi ? 57 : VK_INDEX_TYPE_UINT16) : (isDxgi ? 42 : VK_INDEX_TYPE_UINT32);
        std::memcpy(&command.indexType, &type, sizeof type);
        std::memcpy(&stream[size_t{i} * layout.strideWords + static_cast<uint32_t>(layout.indexWord)], &command,
                    sizeof command);
    }
}

Draw DrawCase::drawOf(const uint32_t* command, uint32_t drawIndex) const
{
    if (isIndexed)
        return {command[0], command[1], command[2], command[3], command[4], true, drawIndex};
    return {command[0], command[1], command[2], command[2], command[3], false, drawIndex};
}

void DrawCase::addMesh(Picture& picture, const PushWords& push, const uint32_t* grid, uint32_t drawIndex,
                       uint32_t salt) const
{
    const auto addGroup = [&](uint32_t number, std::optional<uint32_t> payload) {
        uint32_t hash = payload ? mixed(salt, *payload) : salt;
        for (uint32_t k = 0; k < 9; ++k)
            hash = mixed(hash, push[k]);
        hash = mixed(hash, number);
        if (!payload && driverHasDrawParameters())
            hash = mixed(hash, drawIndex);
        for (uint32_t i = 0; i < 2 + number % 6; ++i) {
            const uint32_t own = view ? mixed(mixed(hash, i), *view) : mixed(hash, i);
            const uint32_t pixel = own % (kSide * kSide);
            picture.last[pixel] = mixed(mixed(mixed(mixed(own, push[9]), push[10]), push[11]), push[0]);
            picture.drawn[pixel].push_back(picture.last[pixel]);
        }
    };
    for (uint32_t z = 0; z < grid[2]; ++z)
        for (uint32_t y = 0; y < grid[1]; ++y)
            for (uint32_t x = 0; x < grid[0]; ++x) {
                const uint32_t number = x + 8 * (y + 8 * z);
                uint32_t payload = mixed(mixed(number, push[2]), push[5]);
                if (driverHasDrawParameters())
                    payload = mixed(payload, drawIndex);
                for (uint32_t i = 0; hasTasks && i < 1 + number % 2; ++i)
                    addGroup(2 * number + i, payload);
                if (!hasTasks)
                    addGroup(number, std::nullopt);
            }
}

void DrawCase::addSequence(Picture& picture, uint32_t sequence) const
{
    const uint32_t* record = &stream[size_t{sequence} * layout.strideWords];
    const uint32_t count = isCounted ? std::min(counted[sequence].count, maxDraws) : 1;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* command = isCounted ? &commands[counted[sequence].firstWord + i * counted[sequence].strideWords]
                                            : record + layout.actionWord;
        if (hasMesh) {
            addMesh(picture, layout.valuesOf(record, sequence, pushed), command, i,
                    kDrawSalts[hasSet ? record[saltWord()] : 0]);
            continue;
        }
        addDraw(picture, layout.valuesOf(record, sequence, pushed), drawOf(command, i),
                hasVertices ? std::optional(vertices[sequence]) : std::nullopt,
                hasIndices ? indices[sequence] : Indices{0, false},
                hasSet && hasObjects && record[layout.setWord] == kMoreVertex
                    ? 0
                    : setSalts[hasSet ? record[layout.setWord] : boundGroup],
                hasSet && hasObjects ? record[layout.setWord + 1]
                                     : fragmentOf(hasSet ? record[layout.setWord] : boundGroup),
                view);
    }
}

Picture DrawCase::expected() const
{
    Picture picture;
    for (uint32_t i = 0; i < sequences(); ++i)
        addSequence(picture, i);
    // What record() draws itself.
    if (hasMesh) {
        const uint32_t grid[] = {2, 1, 1};
        addMesh(picture, pushed, grid, 0, kDrawSalts[0]);
        return picture;
    }
    addDraw(picture, pushed, {5, 1, 0, 0, 0, false}, hasVertices ? std::optional(Vertices{0, 4}) : std::nullopt,
            {0, false}, kDrawSalts[boundGroup], fragmentOf(boundGroup), view);
    return picture;
}

}  // namespace millrace::commandtest
