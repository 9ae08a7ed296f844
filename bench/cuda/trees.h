// SPDX-License-Identifier: Apache-2.0
// Records that become kChildren records each until they are leaves: W4's two shapes (bench/workloads/w04/shapes.glsl)
// and S1's fork. path says where a leaf is written.
#pragma once

#include "bench/cuda/portable.h"

namespace millrace::cuda {

// Koch's snowflake.
struct Koch {
    struct Record {
        int32_t x0, y0, x1, y1;
        uint32_t path;
    };
    static constexpr uint32_t kChildren = 4;

    uint32_t* leaves;

    // Corner i of the four lines that replace one.
    MILLRACE_BOTH static void corner(const Record& line, uint32_t i, int32_t* x, int32_t* y)
    {
        const int32_t dx = line.x1 - line.x0, dy = line.y1 - line.y0;
        *x = i == 0   ? line.x0
             : i == 1 ? line.x0 + dx / 3
             : i == 2 ? line.x0 + dx / 2 + dy * 4731 / 16384
             : i == 3 ? line.x0 + 2 * dx / 3
                      : line.x1;
        *y = i == 0   ? line.y0
             : i == 1 ? line.y0 + dy / 3
             : i == 2 ? line.y0 + dy / 2 + -dx * 4731 / 16384
             : i == 3 ? line.y0 + 2 * dy / 3
                      : line.y1;
    }
    MILLRACE_BOTH static Record child(const Record& line, uint32_t i)
    {
        Record out;
        corner(line, i, &out.x0, &out.y0);
        corner(line, i + 1, &out.x1, &out.y1);
        out.path = 4 * line.path + i;
        return out;
    }
    MILLRACE_BOTH void write(const Record& line) const
    {
#ifdef __CUDACC__
        reinterpret_cast<int4*>(leaves)[line.path] = make_int4(line.x0, line.y0, line.x1, line.y1);
#else
        uint32_t* const to = leaves + 4 * size_t{line.path};
        to[0] = static_cast<uint32_t>(line.x0);
        to[1] = static_cast<uint32_t>(line.y0);
        to[2] = static_cast<uint32_t>(line.x1);
        to[3] = static_cast<uint32_t>(line.y1);
#endif
    }
};

// Sierpinski's carpet.
struct Sponge {
    struct Record {
        int32_t x, y, size;
        uint32_t path;
    };
    static constexpr uint32_t kChildren = 8;

    uint32_t* leaves;

    MILLRACE_BOTH static Record child(const Record& box, uint32_t i)
    {
        const uint32_t part = i < 4 ? i : i + 1;
        const int32_t third = box.size / 3;
        return {box.x + third * static_cast<int32_t>(part % 3), box.y + third * static_cast<int32_t>(part / 3), third,
                8 * box.path + i};
    }
    MILLRACE_BOTH void write(const Record& box) const
    {
#ifdef __CUDACC__
        reinterpret_cast<int2*>(leaves)[box.path] = make_int2(box.x, box.y);
#else
        leaves[2 * size_t{box.path}] = static_cast<uint32_t>(box.x);
        leaves[2 * size_t{box.path} + 1] = static_cast<uint32_t>(box.y);
#endif
    }
};

// S1.
struct Fork {
    struct Record {
        uint32_t depth, path;
    };
    static constexpr uint32_t kChildren = 2;

    uint32_t* leaves;

    MILLRACE_BOTH static Record child(const Record& branch, uint32_t i)
    {
        return {branch.depth + 1, 2 * branch.path + i};
    }
    MILLRACE_BOTH void write(const Record& branch) const { leaves[branch.path] = branch.path ^ 0x5a5au; }
};

}  // namespace millrace::cuda
