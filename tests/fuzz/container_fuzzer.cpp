// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are, readContainer() says no or gives parts that lie inside of them, and readRootSignature()
// and readSubobjects() likewise.
#include <cstdlib>

#include "dxil/container.h"
#include "dxil/pipeline_state.h"
#include "dxil/root_signature.h"
#include "dxil/runtime_data.h"
#include "dxil/subobjects.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace millrace::dxil;
    const Bytes all(data, size);
    const auto isInside = [&](Bytes part) {
        return part.data() >= data && part.size() <= size && part.data() + part.size() <= data + size;
    };
    const auto container = readContainer(all);
    if (!container)
        return 0;
    for (const Part& part : container->parts)
        if (!isInside(part.bytes))
            std::abort();
    if (const Part* part = container->findPart("RTS0")) {
        const auto signature = readRootSignature(part->bytes);
        if (signature) {
            Bindings bindings;
            addRootSignature(*signature, bindings);
        }
    }
    if (const Part* part = container->findPart("PSV0")) {
        const auto state = readPipelineState(part->bytes);
        if (state && state->resources.size() > part->bytes.size())
            std::abort();
    }
    if (const Part* part = container->findPart("RDAT")) {
        if (const auto runtime = readRuntimeData(part->bytes))
            (void)checkRuntimeData(*runtime, {});
        const auto subobjects = readSubobjects(part->bytes);
        for (size_t s = 0; subobjects && s < subobjects->signatures.size(); ++s) {
            if (!isInside(subobjects->signatures[s].bytes))
                std::abort();
            if (const auto signature = readRootSignature(subobjects->signatures[s].bytes)) {
                Bindings bindings;
                addLocalRootSignature(*signature, 0, bindings);
            }
        }
    }
    if (!isInside(container->bitcode))
        std::abort();
    return 0;
}
