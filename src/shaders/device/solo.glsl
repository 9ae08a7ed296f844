// SPDX-License-Identifier: Apache-2.0
// The functions that lowered node shaders call, where one workgroup runs all slots of a dispatch one after the other
// (docs/design.md, "Solo"). It has the graph's state in its shared memory, so nothing waits for memory but for payloads;
// and since it is alone, a queue's payloads lie one after the other, with no entries and nothing to search.
//
// Invocations behind the last of a node's workgroups sit its code out. So no function may wait for the others, but those
// that say so, which are for nodes whose workgroup is as large as ours.
#ifndef MILLRACE_DEVICE_SOLO_GLSL
#define MILLRACE_DEVICE_SOLO_GLSL

#extension GL_KHR_memory_scope_semantics : require
#include "abi/solo.h"
#include "device/graph.glsl"

layout(constant_id = 2001) const uint MR_WORKGROUP_SIZE = 64u;
layout(constant_id = 2028) const bool MR_IMAGES = true;  // nodes may write images

#ifdef MR_VULKAN_MEMORY_MODEL
const int kLevelSemantics = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
#else
const int kLevelSemantics = gl_SemanticsAcquireRelease;
#endif

// Payloads, which others in this dispatch have written or will read.
layout(buffer_reference, scalar, buffer_reference_align = 4) nonprivate buffer PayloadWords { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) nonprivate buffer PayloadGranules { uvec4 v[]; };

const uint kNoHandleQueue = 0x1ffffu;

shared uint s_words[kSoloTableWords];
shared uint s_groups[kSoloGridPayloads];  // dynamic: workgroups of the payloads up to this one
shared uint s_index;
shared uint s_finished;
shared uint s_error_node;

uint64_t g_graph;
uint g_next_step;

// The slot that runs.
uint g_step;   // its place,
uint g_queue;  // that of its queue
uint g_total;  // units
uint g_unit;   // the next round's first

// The invocation's own workgroup of the node.
bool g_active;
uint g_first_payload;
uint g_input_count;
uvec3 g_group_id;
uint g_group_count;  // workgroups of the payload

#define MR_STEP(word) s_words[g_step + word]

// All that this workgroup wrote before is there for it behind this. Images only if there are some: S1 with one input takes
// an H200 11.0 us without them, 11.6 with.
void mr_level_barrier()
{
    const int kMemory = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
    if (MR_IMAGES)
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kMemory | gl_StorageSemanticsImage, kLevelSemantics);
    else
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, kMemory, kLevelSemantics);
}

void mr_note_node(const uint error, const uint value)
{
    if (atomicAdd(s_error_count, 1u) == 0u) {
        s_error = error;
        s_error_value = value;
        s_error_node = MR_STEP(kSoloStepName);
    }
}

uint64_t mr_host_status()
{
    return packUint2x32(uvec2(s_words[kSoloStatus], s_words[kSoloStatus + 1u]));
}

// One invocation.
void mr_tell_host(const uint error, const uint node, const uint value, const uint count)
{
    Statuses host = Statuses(mr_host_status());
    host.v[0].errorNode = node;
    host.v[0].errorValue = value;
    host.v[0].errorCount = count;
    host.v[0].error = error;
}

// The first granules to shared memory, the others, payloads, to the scratch memory. Several reads at once, since each may
// take a microsecond.
void mr_copy_table(const uint64_t table, const uint granules, const uint payloads, const uint begin)
{
    const uint kAtOnce = 4u;
    uint end = granules + payloads;
    for (uint first = gl_LocalInvocationIndex; first < end; first += kAtOnce * MR_WORKGROUP_SIZE) {
        uvec4 read[kAtOnce];
        for (uint i = 0u; i < kAtOnce; ++i)
            read[i] = PayloadGranules(table).v[min(first + i * MR_WORKGROUP_SIZE, end - 1u)];
        for (uint i = 0u; i < kAtOnce; ++i) {
            uint g = first + i * MR_WORKGROUP_SIZE;
            if (g >= granules && g < end)
                PayloadGranules(mr_address(g_graph, begin)).v[g - granules] = read[i];
            for (uint w = 0u; w < 4u && g < granules; ++w)
                s_words[4u * g + w] = read[i][w];
        }
    }
}

// With the eight words of SoloArguments. All invocations; ends with a barrier.
void mr_begin(const uvec4 a, const uvec4 b)
{
    g_graph = packUint2x32(a.xy);
    bool isOurs = MR_HEADER(g_graph).magic == kGraphMagic;
    uint graph = MR_HEADER(g_graph).graph;
    mr_copy_table(packUint2x32(a.zw), b.z & 0xffffu, b.z >> 16, b.w);
    mr_begin_notes();
    mr_level_barrier();
    g_step = 0u;
    g_next_step = 0u;
    if (isOurs && graph == s_words[kSoloGraph])
        return;
    if (gl_LocalInvocationIndex == 0u)
        mr_tell_host(kErrorNotInitialized, kNoQueue, 0u, 1u);
    g_next_step = s_words[kSoloStepCount];
}

uint mr_payload_count(const uint queue)
{
    return min(s_words[queue + kSoloQueueCount], s_words[queue + kSoloQueueFailed]);
}

uint64_t mr_payload_address(const uint queue, const uint payload)
{
    uint fed = s_words[queue + kSoloQueueFed];
    bool isFed = payload < fed;
    uint at = s_words[queue + (isFed ? kSoloQueueFedAt : kSoloQueueAt)];
    return mr_address(g_graph, at) + uint64_t(payload - (isFed ? 0u : fed)) * uint64_t(s_words[queue + kSoloQueueStride]);
}

uint mr_grid_component(const uint64_t address, const uint bytes)
{
    uint word = PayloadWords(address & ~uint64_t(3)).v[0];
    uint shift = (uint(address) & 3u) * 8u;
    return bytes == 4u ? word : bitfieldExtract(word, int(shift), int(bytes * 8u));
}

uvec3 mr_read_grid(const uint payload)
{
    uint64_t at = mr_payload_address(g_queue, payload) + uint64_t(MR_STEP(kSoloStepGridOffset));
    uint components = MR_STEP(kSoloStepGridParts) & 0xffffu;
    uint bytes = MR_STEP(kSoloStepGridParts) >> 16;
    uvec3 grid = uvec3(mr_grid_component(at, bytes), 1u, 1u);
    if (components > 1u)
        grid.y = mr_grid_component(at + uint64_t(bytes), bytes);
    if (components > 2u)
        grid.z = mr_grid_component(at + uint64_t(2u * bytes), bytes);
    return grid;
}

// Workgroups of a payload, 0 if its grid is empty or above the limits (reported).
uint mr_groups_of(const uint payload)
{
    uvec3 grid = mr_read_grid(payload);
    if (any(equal(grid, uvec3(0u))))
        return 0u;
    uvec3 most = uvec3(MR_STEP(kSoloStepGrid), MR_STEP(kSoloStepGrid + 1u), MR_STEP(kSoloStepGrid + 2u));
    uint64_t product = uint64_t(grid.x) * uint64_t(grid.y);
    if (all(lessThanEqual(grid, most)) && product * uint64_t(grid.z) <= uint64_t(MR_STEP(kSoloStepMaxGroups)))
        return uint(product) * grid.z;
    mr_note_node(kErrorGridSize, max(grid.x, max(grid.y, grid.z)));
    return 0u;
}

// Adds up the workgroups of the queue's payloads. All invocations.
uint mr_add_grids(const uint payloads)
{
    // A workgroup may still look for a payload of the slot before.
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < payloads; i += MR_WORKGROUP_SIZE)
        s_groups[i] = mr_groups_of(i);
    barrier();
    for (uint reach = 1u; reach < payloads; reach *= 2u) {
        uint sums[kSoloGridsEach];
        for (uint i = gl_LocalInvocationIndex, n = 0u; i < payloads; i += MR_WORKGROUP_SIZE, ++n)
            sums[n] = i >= reach ? s_groups[i - reach] : 0u;
        barrier();
        for (uint i = gl_LocalInvocationIndex, n = 0u; i < payloads; i += MR_WORKGROUP_SIZE, ++n)
            s_groups[i] += sums[n];
        barrier();
    }
    return payloads > 0u ? s_groups[payloads - 1u] : 0u;
}

uint mr_units()
{
    uint payloads = mr_payload_count(g_queue);
    uint units = MR_STEP(kSoloStepUnits);
    switch (MR_STEP(kSoloStepKind)) {
    case kKindStatic:
        return payloads * units;
    case kKindDynamic:
        return mr_add_grids(payloads);
    case kKindCoalescing:
        return (payloads + units - 1u) / units;
    default:
        return payloads;
    }
}

// Turns to the next slot. False behind the last one, when errors have been told. All invocations.
bool mr_solo_next()
{
    if (g_next_step == s_words[kSoloStepCount]) {
        barrier();
        if (gl_LocalInvocationIndex == 0u && s_error_count > 0u)
            mr_tell_host(s_error, s_error_node, s_error_value, s_error_count);
        return false;
    }
    g_step = s_words[kSoloSteps] + g_next_step * kSoloStepWords;
    ++g_next_step;
    if (MR_STEP(kSoloStepNewLevel) != 0u)
        mr_level_barrier();
    g_queue = MR_STEP(kSoloStepQueue);
    g_unit = 0u;
    g_total = mr_units();
    return true;
}

uint mr_solo_code()
{
    return MR_STEP(kSoloStepCode);
}

uvec3 mr_group_id(const uint group, const uvec2 grid)
{
    uint row = group / grid.x;
    uint plane = row / grid.y;
    return uvec3(group - row * grid.x, row - plane * grid.y, plane);
}

// The payload that holds a workgroup: the first with more of them up to it.
uint mr_find_payload(const uint unit, const uint payloads)
{
    uint low = 0u;
    uint high = payloads;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (s_groups[middle] <= unit)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

void mr_locate(const uint unit)
{
    uint units = MR_STEP(kSoloStepUnits);
    g_input_count = 1u;
    switch (MR_STEP(kSoloStepKind)) {
    case kKindStatic:
        g_first_payload = unit / units;
        g_group_count = units;
        g_group_id = mr_group_id(unit - g_first_payload * units,
                                 uvec2(MR_STEP(kSoloStepGrid), MR_STEP(kSoloStepGrid + 1u)));
        break;
    case kKindDynamic: {
        g_first_payload = mr_find_payload(unit, mr_payload_count(g_queue));
        uint before = g_first_payload > 0u ? s_groups[g_first_payload - 1u] : 0u;
        g_group_count = s_groups[g_first_payload] - before;
        g_group_id = mr_group_id(unit - before, mr_read_grid(g_first_payload).xy);
        break;
    }
    case kKindCoalescing:
        g_first_payload = unit * units;
        g_input_count = min(units, mr_payload_count(g_queue) - g_first_payload);
        break;
    default:
        g_first_payload = unit;
        break;
    }
}

// Which of the workgroups that run side by side the invocation belongs to.
uint mr_beside()
{
    uint turned = gl_LocalInvocationIndex - MR_STEP(kSoloStepTurn);
    if (gl_LocalInvocationIndex < MR_STEP(kSoloStepTurn))
        turned += MR_WORKGROUP_SIZE;
    return turned / MR_STEP(kSoloStepSize);
}

// The next round: as many of the node's workgroups as run side by side. All invocations.
bool mr_next()
{
    if (g_unit >= g_total)
        return false;
    // Nodes that share memory, of which one runs at a time, must not begin before all of the workgroup before has ended.
    if (MR_STEP(kSoloStepBeside) == 1u)
        barrier();
    uint beside = mr_beside();
    uint unit = g_unit + beside;
    g_unit += MR_STEP(kSoloStepBeside);
    g_active = beside < MR_STEP(kSoloStepBeside) && unit < g_total;
    if (g_active)
        mr_locate(unit);
    return true;
}

bool mr_active()
{
    return g_active;
}

uvec3 mr_workgroup_id()
{
    return g_group_id;
}

uvec4 mr_input_handle()
{
    return uvec4(0u, 0u, g_input_count, kNoHandleQueue << 15);
}

uint mr_input_count()
{
    return g_input_count;
}

uint64_t mr_input_element(const uint i)
{
    return mr_payload_address(g_queue, g_first_payload + min(i, g_input_count - 1u));
}

#include "device/handle.glsl"

uint mr_remaining_recursion()
{
    return MR_STEP(kSoloStepRemaining);
}

uint mr_shader_index()
{
    return MR_STEP(kSoloStepShader);
}

uint mr_target(const uint payload_type, const uint node_index)
{
    uint at = MR_STEP(kSoloStepOutputs) + payload_type * kSoloOutputWords;
    return node_index < s_words[at + kSoloOutputCount] ? s_words[s_words[at + kSoloOutputMap] + node_index] : kNoQueue;
}

bool mr_is_valid(const uint payload_type, const uint node_index)
{
    return mr_target(payload_type, node_index) != kNoQueue;
}

// Payloads that nobody receives all share one place that nobody reads.
uvec4 mr_trash_handle(const uint count)
{
    return uvec4(unpackUint2x32(mr_address(g_graph, s_words[kSoloTrash])), count, kNoHandleQueue << 15);
}

// The number of the first of `count` > 0 payloads that are new in the queue; kNoQueue if there is no room, because a node
// allocates more than it declared. Then nothing behind is taken either, so that what was taken has no holes.
uint mr_take(const uint queue, const uint count)
{
    uint capacity = s_words[queue + kSoloQueueCapacity];
    if (s_words[queue + kSoloQueueCount] <= capacity) {
        uint first = atomicAdd(s_words[queue + kSoloQueueCount], min(count, capacity + 1u));
        if (first <= capacity && count <= capacity - first)
            return first;
        atomicMin(s_words[queue + kSoloQueueFailed], first);
    }
    mr_note_node(kErrorPayloadCount, count);
    return kNoQueue;
}

uvec4 mr_handle(const uint queue, const uint first, const uint count)
{
    if (first == kNoQueue)
        return mr_trash_handle(count);
    return uvec4(unpackUint2x32(mr_payload_address(queue, first)), count, s_words[queue + kSoloQueueStride] / 4u);
}

// The finish counters of payloads `first` + `own`, + `step`, ... of `count` start at 0.
void mr_clear_finish_counters(const uint queue, const uint first, const uint count, const uint own, const uint step)
{
    uint counters = s_words[queue + kSoloQueueFinishCount];
    if (counters == 0u || first == kNoQueue)
        return;
    for (uint i = own; i < count; i += step) {
        PayloadWords words = PayloadWords(mr_payload_address(queue, first + i) + uint64_t(s_words[queue + kSoloQueueFinish]));
        for (uint c = 0u; c < counters; ++c)
            words.v[c] = 0u;
    }
}

uvec4 mr_allocate_invocation(const uint payload_type, const uint count, const uint node_index)
{
    if (count == 0u)
        return mr_trash_handle(0u);
    uint queue = mr_target(payload_type, node_index);
    if (queue == kNoQueue) {
        mr_note_node(kErrorNoNode, node_index);
        return mr_trash_handle(count);
    }
    uint first = mr_take(queue, count);
    mr_clear_finish_counters(queue, first, count, 0u, 1u);
    return mr_handle(queue, first, count);
}

// Where a workgroup is one invocation.
uvec4 mr_allocate_alone(const uint payload_type, const uint count, const uint node_index)
{
    return mr_allocate_invocation(payload_type, count, node_index);
}

// All invocations.
uvec4 mr_allocate_workgroup(const uint payload_type, const uint count, const uint node_index)
{
    const uint kWorkgroupScope = 0x80000000u;
    uint queue = mr_target(payload_type, node_index);
    if (count == 0u || queue == kNoQueue) {
        if (count > 0u && gl_LocalInvocationIndex == 0u)
            mr_note_node(kErrorNoNode, node_index);
        return mr_trash_handle(count | kWorkgroupScope);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        s_index = mr_take(queue, count);
    barrier();
    uint first = s_index;
    mr_clear_finish_counters(queue, first, count, gl_LocalInvocationIndex, MR_WORKGROUP_SIZE);
    return mr_handle(queue, first, count | kWorkgroupScope);
}

// Nothing to do: payloads are in their queue since they were allocated, and their grids are read when it is their turn.
void mr_enqueue(const uvec4 handle)
{
}

bool mr_is_last_to_finish()
{
    PayloadWords counter = PayloadWords(mr_payload_address(g_queue, g_first_payload) + uint64_t(MR_STEP(kSoloStepFinish)));
    return atomicAdd(counter.v[0], 1u) + 1u == g_group_count;
}

// Where a workgroup is one invocation. As below.
bool mr_finish_alone()
{
    memoryBarrier();
    bool last = mr_is_last_to_finish();
    memoryBarrier();
    return last;
}

// True in the workgroup that is the last of its payload to ask. Acquires what the others wrote before they asked,
// releases what this one wrote. All invocations.
bool mr_finish_writing()
{
    memoryBarrier();
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        s_finished = mr_is_last_to_finish() ? 1u : 0u;
    barrier();
    memoryBarrier();
    bool last = s_finished != 0u;
    barrier();
    return last;
}

#endif
