// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr char kUsage[] =
    R"(Draws the Mandelbrot set with an execution graph (VK_AMDX_shader_enqueue) and checks each pixel.

usage: mandelbrot [options]
  --size N            pixels in a row and in a column, 16 to 16384 (2048)
  --iterations N      1 to 65535 (512)
  --center RE IM      middle of the picture (-0.75 0)
  --span S            width of the picture in the complex plane (3)
  --device TEXT       use the device with TEXT in its name
  --scratch-mib N     scratch memory; as much as the implementation can use, up to 256, if absent
  --repeat N          run N times and report the fastest (3)
  --output FILE       PNG to write (mandelbrot.png); none: no picture
  --show-squares      draw the borders of the squares that the graph made
  --help              this text
)";

[[noreturn]] void fail(const std::string& why)
{
    std::fprintf(stderr, "mandelbrot: %s\n%s", why.c_str(), kUsage);
    std::exit(2);
}

class Arguments {
public:
    Arguments(int argc, char** argv) : m_next(argv + 1), m_end(argv + argc) {}

    bool empty() const { return m_next == m_end; }
    std::string_view next() { return *m_next++; }

    std::string_view value(std::string_view option)
    {
        if (empty())
            fail(std::string(option) + " needs a value");
        return next();
    }

    template <typename Number>
    Number number(std::string_view option, Number least, Number most)
    {
        const std::string_view text = value(option);
        Number result{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
        // Written so that it rejects NaN, too.
        if (error != std::errc{} || end != text.data() + text.size() || !(result >= least && result <= most))
            fail(std::string(option) + " does not accept \"" + std::string(text) + "\"");
        return result;
    }

private:
    char** m_next;
    char** m_end;
};

}  // namespace

Options parseOptions(int argc, char** argv)
{
    Options options;
    Arguments arguments(argc, argv);
    while (!arguments.empty()) {
        const std::string_view option = arguments.next();
        if (option == "--size") {
            options.side = arguments.number<uint32_t>(option, 16, 16384);
        } else if (option == "--iterations") {
            options.maxIterations = arguments.number<uint32_t>(option, 1, 65535);
        } else if (option == "--center") {
            options.centerRe = arguments.number<double>(option, -2.0, 2.0);
            options.centerIm = arguments.number<double>(option, -2.0, 2.0);
        } else if (option == "--span") {
            options.span = arguments.number<double>(option, 1e-6, 3.0);
        } else if (option == "--device") {
            options.device = arguments.value(option);
        } else if (option == "--scratch-mib") {
            options.scratchMib = arguments.number<uint64_t>(option, 0, 1u << 20);
        } else if (option == "--repeat") {
            options.repeat = arguments.number<uint32_t>(option, 1, 1000);
        } else if (option == "--output") {
            options.output = arguments.value(option);
            if (options.output == "none")
                options.output.clear();
        } else if (option == "--show-squares") {
            options.showSquares = true;
        } else if (option == "--help") {
            std::fputs(kUsage, stdout);
            std::exit(0);
        } else {
            fail("unknown option " + std::string(option));
        }
    }
    return options;
}
