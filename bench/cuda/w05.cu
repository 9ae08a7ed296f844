// SPDX-License-Identifier: Apache-2.0
// W5: the Mandelbrot set by Mariani and Silver's subdivision, the usual example of dynamic parallelism.
#include <memory>

#include "bench/cuda/launch.cuh"
#include "bench/cuda/mandelbrot.h"
#include "bench/cuda/measure.h"
#include "bench/workloads/w05_reference.h"

namespace millrace::cuda {

namespace {

using bench::w05::Level;
using bench::w05::Picture;
using bench::w05::Reference;

// --- A launch for each record, with the same workgroups as the execution graph: bench/workloads/w05/*.comp

// What the workgroups of a square share.
struct Shared {
    unsigned int least, most, finished;
};

struct Pool {
    Shared* squares;     // least, most and finished of the next ones are ~0, 0 and 0
    unsigned int* used;  // of squares
};

__global__ void fillRegion(Mandelbrot picture, uint32_t x0, uint32_t y0, uint32_t size, uint32_t value)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size && y < size)
        picture.dwells[(y0 + y) * picture.width() + x0 + x] = value;
}

__global__ void drawRegion(Mandelbrot picture, uint32_t x0, uint32_t y0, uint32_t size)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size && y < size)
        picture.draw(x0 + x, y0 + y);
}

__global__ void squareRecord(Mandelbrot picture, Pool pool, Shared* shared, uint32_t x0, uint32_t y0, uint32_t size);

__device__ void launchSquare(const Mandelbrot& picture, const Pool& pool, uint32_t x, uint32_t y, uint32_t size)
{
    Shared* const shared = pool.squares + atomicAdd(pool.used, 1u);
    squareRecord<<<groupsFor(Mandelbrot::borderOf(size), 32), 32, 0, cudaStreamFireAndForget>>>(picture, pool, shared,
                                                                                                x, y, size);
    noteLaunch();
}

// By the last workgroup of a square.
__device__ void decide(const Mandelbrot& picture, const Pool& pool, const Shared* shared, uint32_t x0, uint32_t y0,
                       uint32_t size)
{
    const uint32_t least = load(&shared->least), most = load(&shared->most);
    const uint32_t inside = size - 2, part = Mandelbrot::partOf(size), groups = groupsFor(inside, 8);
    const uint32_t lane = threadIdx.x;
    if (least != most && !Mandelbrot::isLast(size)) {
        if (lane < 4)
            launchSquare(picture, pool, x0 + 1 + part * (lane % 2), y0 + 1 + part * (lane / 2), part);
        return;
    }
    if (lane != 0)
        return;
    if (least == most)
        fillRegion<<<dim3(groups, groups), dim3(8, 8), 0, cudaStreamFireAndForget>>>(picture, x0 + 1, y0 + 1, inside,
                                                                                     least);
    else
        drawRegion<<<dim3(groups, groups), dim3(8, 8), 0, cudaStreamFireAndForget>>>(picture, x0 + 1, y0 + 1, inside);
    noteLaunch();
}

__global__ void squareRecord(Mandelbrot picture, Pool pool, Shared* shared, uint32_t x0, uint32_t y0, uint32_t size)
{
    const uint32_t i = blockIdx.x * 32 + threadIdx.x;
    uint32_t least = ~0u, most = 0;
    if (i < Mandelbrot::borderOf(size)) {
        uint32_t x, y;
        Mandelbrot::borderPixel(i, size, &x, &y);
        least = most = picture.draw(x0 + x, y0 + y);
    }
    least = __reduce_min_sync(~0u, least);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x == 0) {
        atomicMin(&shared->least, least);
        atomicMax(&shared->most, most);
    }
    if (isLastBlock(&shared->finished, gridDim.x))
        decide(picture, pool, shared, x0, y0, size);
}

__global__ void tileRecords(Mandelbrot picture, Pool pool)
{
    const uint32_t x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < picture.tiles && y < picture.tiles)
        launchSquare(picture, pool, x * picture.tile, y * picture.tile, picture.tile);
}

// --- Aggregated: a workgroup for each square, as bench/workloads/w05/square_by_hand.comp

enum class Kind : uint32_t { Same, Draw, Divide };

// Looks at the border of a square with all threads of a workgroup.
__device__ Kind look(const Mandelbrot& picture, uint2 at, uint32_t size, uint32_t* value)
{
    __shared__ unsigned int least, most;
    if (threadIdx.x == 0) {
        least = ~0u;
        most = 0;
    }
    __syncthreads();
    uint32_t low = ~0u, high = 0;
    for (uint32_t i = threadIdx.x; i < Mandelbrot::borderOf(size); i += blockDim.x) {
        uint32_t x, y;
        Mandelbrot::borderPixel(i, size, &x, &y);
        const uint32_t dwell = picture.draw(at.x + x, at.y + y);
        low = min(low, dwell);
        high = max(high, dwell);
    }
    low = __reduce_min_sync(~0u, low);
    high = __reduce_max_sync(~0u, high);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&least, low);
        atomicMax(&most, high);
    }
    __syncthreads();
    *value = least;
    return least == most ? Kind::Same : Mandelbrot::isLast(size) ? Kind::Draw : Kind::Divide;
}

// The inside of a square by all threads of a workgroup.
__device__ void finish(const Mandelbrot& picture, uint2 at, uint32_t size, Kind kind, uint32_t value)
{
    const uint32_t inside = size - 2;
    for (uint32_t i = threadIdx.x; i < inside * inside; i += blockDim.x) {
        const uint32_t x = at.x + 1 + i % inside, y = at.y + 1 + i / inside;
        if (kind == Kind::Same)
            picture.dwells[y * picture.width() + x] = value;
        else
            picture.draw(x, y);
    }
}

__host__ __device__ inline uint32_t threadsFor(uint32_t size)
{
    uint32_t threads = 32;
    while (threads < 1024 && threads * 2 < 4 * size)
        threads *= 2;
    return threads;
}

__host__ __device__ inline uint2 partAt(uint2 at, uint32_t size, uint32_t i)
{
    const uint32_t part = Mandelbrot::partOf(size);
    return make_uint2(at.x + 1 + part * (i % 2), at.y + 1 + part * (i / 2));
}

// A workgroup launches its four parts together, and the fill of a large inside; small insides it does by itself. Four
// workgroups, or one for each tile (size of a tile, at (0, 0)).
__global__ void squareGroup(Mandelbrot picture, uint2 parent, uint32_t size, uint32_t inlineUpTo)
{
    const uint2 at = size == picture.tile
                         ? make_uint2(blockIdx.x % picture.tiles * size, blockIdx.x / picture.tiles * size)
                         : partAt(parent, 2 * size + 2, blockIdx.x);
    uint32_t value;
    const Kind kind = look(picture, at, size, &value);
    if (kind != Kind::Divide && size <= inlineUpTo) {
        finish(picture, at, size, kind, value);
        return;
    }
    if (threadIdx.x != 0)
        return;
    const uint32_t groups = groupsFor(size - 2, 16), part = Mandelbrot::partOf(size);
    if (kind == Kind::Divide)
        squareGroup<<<4, threadsFor(part), 0, cudaStreamFireAndForget>>>(picture, at, part, inlineUpTo);
    else if (kind == Kind::Same)
        fillRegion<<<dim3(groups, groups), dim3(16, 16), 0, cudaStreamFireAndForget>>>(picture, at.x + 1, at.y + 1,
                                                                                       size - 2, value);
    else
        drawRegion<<<dim3(groups, groups), dim3(16, 16), 0, cudaStreamFireAndForget>>>(picture, at.x + 1, at.y + 1,
                                                                                       size - 2);
    noteLaunch();
}

// --- Aggregated: a level at a time, with lists in memory

struct Lists {
    static constexpr uint32_t kLevels = 8;
    uint2* squares[kLevels];  // of a level; of the first: none
    uint4* same[kLevels];     // at, value
    uint2* drawn;
    unsigned int* counters;  // for each level: squares, same, finished; then drawn

    __device__ unsigned int* counter(uint32_t level, uint32_t which) const
    {
        return counters + (level * 3 + which) * 32;
    }
    __device__ unsigned int* drawnCounter() const { return counter(kLevels, 0); }
};

__global__ void fillList(Mandelbrot picture, const uint4* same, uint32_t size)
{
    const uint32_t x = blockIdx.y * blockDim.x + threadIdx.x, y = blockIdx.z * blockDim.y + threadIdx.y;
    const uint4 region = same[blockIdx.x];
    if (x < size - 2 && y < size - 2)
        picture.dwells[(region.y + 1 + y) * picture.width() + region.x + 1 + x] = region.z;
}

__global__ void drawList(Mandelbrot picture, const uint2* drawn, uint32_t size)
{
    const uint32_t x = blockIdx.y * blockDim.x + threadIdx.x, y = blockIdx.z * blockDim.y + threadIdx.y;
    const uint2 region = drawn[blockIdx.x];
    if (x < size - 2 && y < size - 2)
        picture.draw(region.x + 1 + x, region.y + 1 + y);
}

__host__ __device__ inline dim3 gridFor(uint32_t regions, uint32_t size)
{
    return dim3(regions, groupsFor(size - 2, 16), groupsFor(size - 2, 16));
}

__device__ void append(const Lists& lists, uint32_t level, uint2 at, uint32_t size, Kind kind, uint32_t value)
{
    if (kind == Kind::Same) {
        lists.same[level][atomicAdd(lists.counter(level, 1), 1u)] = make_uint4(at.x, at.y, value, 0);
    } else if (kind == Kind::Draw) {
        lists.drawn[atomicAdd(lists.drawnCounter(), 1u)] = at;
    } else {
        const uint32_t first = atomicAdd(lists.counter(level + 1, 0), 4u);
        for (uint32_t i = 0; i < 4; ++i)
            lists.squares[level + 1][first + i] = partAt(at, size, i);
    }
}

// Of the workgroup.
__device__ inline uint2 squareAt(const Mandelbrot& picture, const Lists& lists, uint32_t level, uint32_t size)
{
    const uint32_t block = blockIdx.x;
    return level == 0 ? make_uint2(block % picture.tiles * size, block / picture.tiles * size)
                      : lists.squares[level][block];
}

__global__ void squareLevel(Mandelbrot picture, Lists lists, uint32_t level, uint32_t size, uint32_t inlineUpTo,
                            Next next);

// By one thread, when all of a level is in the lists.
__device__ void launchNext(const Mandelbrot& picture, const Lists& lists, uint32_t level, uint32_t size,
                           uint32_t inlineUpTo, Next next)
{
    const uint32_t part = Mandelbrot::partOf(size);
    const uint32_t squares = Mandelbrot::isLast(size) ? 0 : load(lists.counter(level + 1, 0));
    const uint32_t same = load(lists.counter(level, 1));
    const uint32_t drawn = Mandelbrot::isLast(size) ? load(lists.drawnCounter()) : 0;
    if (squares > 0) {
        squareLevel<<<squares, threadsFor(part), 0, streamOf(next)>>>(picture, lists, level + 1, part, inlineUpTo,
                                                                      next);
        noteLaunch();
    }
    if (drawn > 0) {
        drawList<<<gridFor(drawn, size), dim3(16, 16), 0, cudaStreamFireAndForget>>>(picture, lists.drawn, size);
        noteLaunch();
    }
    if (same > 0) {
        fillList<<<gridFor(same, size), dim3(16, 16), 0, cudaStreamFireAndForget>>>(picture, lists.same[level], size);
        noteLaunch();
    }
}

__global__ void squareLevel(Mandelbrot picture, Lists lists, uint32_t level, uint32_t size, uint32_t inlineUpTo,
                            Next next)
{
    const uint2 at = squareAt(picture, lists, level, size);
    uint32_t value;
    const Kind kind = look(picture, at, size, &value);
    const bool now = kind != Kind::Divide && size <= inlineUpTo;
    if (!now && threadIdx.x == 0)
        append(lists, level, at, size, kind, value);
    // The last one launches before the insides, of which the next level needs nothing.
    if (isLastBlock(lists.counter(level, 2), gridDim.x) && threadIdx.x == 0)
        launchNext(picture, lists, level, size, inlineUpTo, next);
    if (now)
        finish(picture, at, size, kind, value);
}

// A level whose size the host knows: nothing is launched, and nobody is the last.
__global__ void plainSquares(Mandelbrot picture, Lists lists, uint32_t level, uint32_t size)
{
    const uint2 at = squareAt(picture, lists, level, size);
    uint32_t value;
    const Kind kind = look(picture, at, size, &value);
    if (threadIdx.x == 0)
        append(lists, level, at, size, kind, value);
}

// --- The host

class Work {
public:
    Work(const Picture& picture, const Reference& reference);

    Case todo() const;
    std::vector<Version> versions() const;

private:
    void prepare(cudaStream_t stream) const;
    void plain(cudaStream_t stream) const;
    uint32_t squares() const;
    uint32_t insides() const;  // filled or drawn
    uint32_t dividedSquares() const { return squares() - insides(); }
    Version byLevels(const char* name, uint32_t inlineUpTo, Next next) const;
    Version byGroups(const char* name, uint32_t inlineUpTo) const;

    std::vector<Level> m_levels;
    Output m_dwells;
    Mandelbrot m_picture;
    std::vector<std::unique_ptr<Memory>> m_lists;
    Memory m_counters, m_shared, m_used;
    Lists m_list{};
    std::unique_ptr<Captured> m_plain;
    std::vector<Shared> m_unused;
    std::unique_ptr<Memory> m_fresh;
};

Work::Work(const Picture& picture, const Reference& reference)
    : m_levels(reference.levels),
      m_dwells(reference.dwells),
      m_picture{m_dwells.words(), picture.tiles, picture.tile, 3.0f / static_cast<float>(picture.width())},
      m_counters((Lists::kLevels + 1) * 3 * 128),
      m_shared(sizeof(Shared) * squares()),
      m_used(16),
      m_unused(squares(), Shared{~0u, 0, 0})
{
    if (m_levels.size() > Lists::kLevels)
        throw Error("W5 has more levels than Lists::kLevels");
    const auto list = [&](size_t bytes) {
        m_lists.push_back(std::make_unique<Memory>(bytes));
        return m_lists.back()->as<void>();
    };
    for (size_t i = 0; i < m_levels.size(); ++i) {
        m_list.squares[i] = static_cast<uint2*>(list(size_t{m_levels[i].squares} * 8));
        m_list.same[i] = static_cast<uint4*>(list(size_t{m_levels[i].squares} * 16));
    }
    m_list.drawn = static_cast<uint2*>(list(size_t{m_levels.back().squares} * 8));
    m_list.counters = m_counters.as<unsigned int>();
    m_fresh = std::make_unique<Memory>(m_unused);
    m_plain = std::make_unique<Captured>([this](cudaStream_t stream) { plain(stream); });
}

uint32_t Work::squares() const
{
    uint32_t count = 0;
    for (const Level& level : m_levels)
        count += level.squares;
    return count;
}

uint32_t Work::insides() const
{
    uint32_t count = 0;
    for (const Level& level : m_levels)
        count += level.same + level.drawn;
    return count;
}

void Work::prepare(cudaStream_t stream) const
{
    m_dwells.fill(stream, 0xee);
    m_counters.fill(stream, 0);
    m_used.fill(stream, 0);
    check(cudaMemcpyAsync(m_shared.as(), m_fresh->as(), sizeof(Shared) * m_unused.size(), cudaMemcpyDeviceToDevice,
                          stream),
          "cudaMemcpyAsync");
}

void Work::plain(cudaStream_t stream) const
{
    for (uint32_t i = 0; i < m_levels.size(); ++i) {
        const Level& level = m_levels[i];
        plainSquares<<<level.squares, threadsFor(level.size), 0, stream>>>(m_picture, m_list, i, level.size);
        check(cudaGetLastError(), "plainSquares");
    }
    const Level& last = m_levels.back();
    if (last.drawn > 0)
        drawList<<<gridFor(last.drawn, last.size), dim3(16, 16), 0, stream>>>(m_picture, m_list.drawn, last.size);
    for (uint32_t i = 0; i < m_levels.size(); ++i)
        if (m_levels[i].same > 0)
            fillList<<<gridFor(m_levels[i].same, m_levels[i].size), dim3(16, 16), 0, stream>>>(
                m_picture, m_list.same[i], m_levels[i].size);
    check(cudaGetLastError(), "fillList");
}

Version Work::byLevels(const char* name, uint32_t inlineUpTo, Next next) const
{
    return {Role::Aggregated, name, [this, inlineUpTo, next](cudaStream_t stream) {
                squareLevel<<<m_levels[0].squares, threadsFor(m_levels[0].size), 0, stream>>>(
                    m_picture, m_list, 0, m_levels[0].size, inlineUpTo, next);
            }};
}

Version Work::byGroups(const char* name, uint32_t inlineUpTo) const
{
    uint32_t launches = dividedSquares();
    for (const Level& level : m_levels)
        launches += level.size > inlineUpTo ? level.same + level.drawn : 0;
    return {Role::Aggregated, name,
            [this, inlineUpTo](cudaStream_t stream) {
                squareGroup<<<m_levels[0].squares, threadsFor(m_levels[0].size), 0, stream>>>(
                    m_picture, make_uint2(0, 0), m_levels[0].size, inlineUpTo);
            },
            launches, launches + 1024};
}

std::vector<Version> Work::versions() const
{
    const uint32_t small = m_levels.back().size;
    const uint32_t medium = m_levels.size() > 2 ? m_levels[m_levels.size() - 3].size : small;
    const uint32_t launches = squares() + insides();
    return {
        {Role::Plain, "sizes known to the host, a graph", [this](cudaStream_t stream) { (*m_plain)(stream); }},
        byLevels("levels, fire and forget", 0, Next::Forget),
        byLevels("levels, fire and forget, smallest insides inline", small, Next::Forget),
        byLevels("levels, fire and forget, small insides inline", medium, Next::Forget),
        byLevels("levels, tail launch, small insides inline", medium, Next::Tail),
        byGroups("a launch for each workgroup, small insides inline", medium),
        {Role::PerRecord, "a launch for each record",
         [this](cudaStream_t stream) {
             const uint32_t groups = groupsFor(m_picture.tiles, 8);
             tileRecords<<<dim3(groups, groups), dim3(8, 8), 0, stream>>>(
                 m_picture, {m_shared.as<Shared>(), m_used.as<unsigned int>()});
         },
         launches, launches + 1024},
    };
}

Case Work::todo() const
{
    const std::string width = std::to_string(m_picture.width());
    Case todo;
    todo.workload = "W5";
    todo.name = width + " x " + width + " pixels, " + std::to_string(m_levels.size()) + " levels";
    todo.records = squares() + insides();
    todo.prepare = [this](cudaStream_t stream) { prepare(stream); };
    todo.check = [this](cudaStream_t stream) { return m_dwells.difference(stream); };
    todo.versions = versions();
    return todo;
}

}  // namespace

void mandelbrot(Bench& bench)
{
    if (!bench.wants("W5"))
        return;
    const Picture picture = bench.options().smallest ? Picture{2, 46} : Picture{6, 766};
    static_assert(Mandelbrot::kLeast == bench::w05::kLeast && Mandelbrot::kLimit == bench::w05::kLimit);
    const Reference reference(picture);
    const Work work(picture, reference);
    bench.measure(work.todo());
}

}  // namespace millrace::cuda
