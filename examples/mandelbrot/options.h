// SPDX-License-Identifier: Apache-2.0
// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

struct Options {
    uint32_t side = 2048;  // pixels in a row and in a column
    uint32_t maxIterations = 512;
    double centerRe = -0.75;
    double centerIm = 0.0;
    double span = 3.0;                      // of the picture, in the complex plane
    std::string device;                     // part of the name; empty: the first that can
    std::string output = "mandelbrot.png";  // empty: no picture
    std::optional<uint64_t> scratchMib;     // empty: what the implementation asks for
    uint32_t repeat = 3;                    // the first run may wait for the driver to compile
    bool showSquares = false;
};

// Prints what is wrong and ends the program if the arguments make no sense.
Options parseOptions(int argc, char** argv);
