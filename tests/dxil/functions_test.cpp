// SPDX-License-Identifier: Apache-2.0
// The library of functions of the corpus, called by an entry point that is written behind it: text, whose names are
// those of functions/vectors.spvasm. Its arguments come from the buffer, and results go there:
// word 0: what `first` stores; 1: things[3] of 7 floats; 22: which; 23: a vector of 3; 26: a table of two pairs;
// 30: the result of `first`; 32: things as `change` leaves them.
#include <bit>
#include <sstream>

#include "dxil/support/compute_runner.h"
#include "dxil/support/corpus.h"
#include "harness/vulkan_test.h"
#include "spirv/tools.h"

namespace millrace::dxil {

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kThings = 1, kWhich = 22, kVector = 23, kTable = 26, kResult = 30, kThingsAfter = 32, kSize = 53;

// The lines of the library without what says that they are to be linked, split in front of the names and of the first
// function.
struct LibraryText {
    std::string head;
    std::string globals;
    std::string functions;
};

LibraryText split(const std::string& text)
{
    LibraryText out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("Linkage") != std::string::npos)
            continue;
        const bool isNamed = !out.globals.empty() || line.find("OpName") != std::string::npos;
        const bool isFunction = !out.functions.empty() || line.find("= OpFunction ") != std::string::npos;
        (isFunction ? out.functions : isNamed ? out.globals : out.head) += line + "\n";
    }
    return out;
}

// The id that has a name that begins so, with its percent sign.
std::string idOf(const std::string& text, const std::string& name)
{
    const size_t at = text.find("\"?" + name + "@@");
    const size_t from = text.rfind('%', at);
    EXPECT_TRUE(at != std::string::npos && from != std::string::npos) << name;
    return text.substr(from, text.find(' ', from) - from);
}

class Caller {
public:
    explicit Caller(const LibraryText& library) : m_library(library) {}

    std::string text()
    {
        m_body << "%things = OpVariable %_ptr_Function__arr__arr_float_uint_7_uint_3 Function\n"
                  "%table = OpVariable %_ptr_Function__arr_v2uint_uint_2 Function\n";
        forEachOfThings([&](uint32_t number, const std::string& place) {
            const std::string word = loadWord(kThings + number);
            m_body << "%f" << number << " = OpBitcast %float " << word << "\n"
                   << "OpStore " << place << " %f" << number << "\n";
        });
        const std::string which = loadWord(kWhich);
        m_body << "%changed = OpFunctionCall %void " << idOf(m_library.globals, "change") << " %things " << which
               << "\n";
        forEachOfThings([&](uint32_t number, const std::string& place) {
            m_body << "%g" << number << " = OpLoad %float " << place << "\n"
                   << "%h" << number << " = OpBitcast %uint %g" << number << "\n";
            storeWord(kThingsAfter + number, "%h" + std::to_string(number));
        });
        callFirst();
        std::ostringstream all;
        all << m_library.head << "OpEntryPoint GLCompute %main \"main\" %words\nOpExecutionMode %main LocalSize 1 1 1\n"
            << m_library.globals << "%caller = OpTypeFunction %void\n";
        for (uint32_t word = 0; word < kSize; ++word)
            all << "%at" << word << " = OpConstant %uint " << word << "\n";
        all << m_library.functions << "%main = OpFunction %void None %caller\n%start = OpLabel\n"
            << m_body.str() << "OpReturn\nOpFunctionEnd\n";
        return all.str();
    }

private:
    std::string newId() { return "%made" + std::to_string(m_next++); }

    std::string placeOf(uint32_t word)
    {
        const std::string id = newId();
        m_body << id << " = OpAccessChain %_ptr_StorageBuffer_uint %words %at0 %at" << word << "\n";
        return id;
    }

    std::string loadWord(uint32_t word)
    {
        const std::string place = placeOf(word);
        const std::string id = newId();
        m_body << id << " = OpLoad %uint " << place << "\n";
        return id;
    }

    void storeWord(uint32_t word, const std::string& value)
    {
        const std::string place = placeOf(word);
        m_body << "OpStore " << place << " " << value << "\n";
    }

    template <typename Function>
    void forEachOfThings(Function&& function)
    {
        for (uint32_t number = 0; number < 21; ++number) {
            const std::string place = newId();
            m_body << place << " = OpAccessChain %_ptr_Function_float %things %at" << number / 7 << " %at" << number % 7
                   << "\n";
            function(number, place);
        }
    }

    void callFirst()
    {
        for (uint32_t entry = 0; entry < 2; ++entry) {
            const std::string x = loadWord(kTable + 2 * entry), y = loadWord(kTable + 2 * entry + 1);
            const std::string pair = newId(), place = newId();
            m_body << pair << " = OpCompositeConstruct %v2uint " << x << " " << y << "\n"
                   << place << " = OpAccessChain %_ptr_Function_v2uint %table %at" << entry << "\n"
                   << "OpStore " << place << " " << pair << "\n";
        }
        const std::string x = loadWord(kVector), y = loadWord(kVector + 1), z = loadWord(kVector + 2);
        m_body << "%vector = OpCompositeConstruct %v3uint " << x << " " << y << " " << z << "\n"
               << "%result = OpFunctionCall %uint " << idOf(m_library.globals, "first") << " %vector %table\n";
        storeWord(kResult, "%result");
    }

    LibraryText m_library;
    std::ostringstream m_body;
    uint32_t m_next = 0;
};

Words arguments(uint32_t which)
{
    Words out(kSize, 0xcdcdcdcd);
    for (uint32_t i = 0; i < 21; ++i)
        out[kThings + i] = std::bit_cast<uint32_t>(0.5f * static_cast<float>(i * i));
    out[kWhich] = which;
    for (uint32_t i = 0; i < 3; ++i)
        out[kVector + i] = 100 + 11 * i + which;  // the last has both parities
    for (uint32_t i = 0; i < 4; ++i)
        out[kTable + i] = 1000 * (i + 1);
    return out;
}

// What vectors.hlsl says.
Words expected(Words words)
{
    float things[3][7];
    for (uint32_t i = 0; i < 21; ++i)
        things[i / 7][i % 7] = std::bit_cast<float>(words[kThings + i]);
    const uint32_t which = words[kWhich];
    for (uint32_t e = 0; e < 7; ++e)
        things[which][e] = things[0][e] * 2 + things[1][e];
    things[2][which] = 5;
    for (uint32_t i = 0; i < 21; ++i)
        words[kThingsAfter + i] = std::bit_cast<uint32_t>(things[i / 7][i % 7]);
    words[0] = words[kVector + 1];
    words[kResult] = words[kVector + 1] + words[kTable + 2 * (words[kVector + 2] & 1) + 1];
    return words;
}

class DxilFunctions : public harness::VulkanTest {};

TEST_F(DxilFunctions, VectorsAsArguments)
{
    const Translation made = translateFile("functions/vectors");
    const auto text = spirv::disassemble(made.shaders.at(0).words);
    ASSERT_TRUE(text) << text.error().text();
    const std::string whole = Caller(split(*text)).text();
    const auto module = spirv::assemble(whole);
    ASSERT_TRUE(module) << module.error().text() << "\n" << whole;
    const Status valid = spirv::validate(*module);
    ASSERT_TRUE(valid) << valid.error().text();
    for (uint32_t which = 0; which < 3; ++which) {
        SCOPED_TRACE(which);
        ComputeRun run;
        run.words = *module;
        run.buffers[{0, 0}] = arguments(which);
        EXPECT_EQ(runCompute(device(), run).at({0, 0}), expected(arguments(which)));
    }
}

}  // namespace

}  // namespace millrace::dxil
