/* SPDX-License-Identifier: Apache-2.0 */
/* Millrace's shader compilers as a C library: node shaders in GLSL to SPIR-V (millraceCompileGlsl), and nodes in SPIR-V
 * to plain compute shaders (millraceLower).
 *
 * millraceLower() turns one node shader of an execution graph (SPIR-V with SPV_AMDX_shader_enqueue, revision 2) into a
 * plain compute shader for any Vulkan 1.3 driver, and says what a runtime has to know of the node. This is the step
 * that the layer takes for each node of a graph; docs/design.md of the project says how the shaders meet in memory.
 *
 *     MillraceOptions* options = NULL;
 *     MillraceNode* node = NULL;
 *     if (millraceOptionsCreate(&options) == MILLRACE_SUCCESS &&
 *         millraceOptionsSetEntryPoint(options, "shade") == MILLRACE_SUCCESS &&
 *         millraceLower(words, wordCount, options, &node) == MILLRACE_SUCCESS) {
 *         size_t count = 0;
 *         const uint32_t* lowered = millraceNodeGetWords(node, &count);
 *         puts(millraceNodeGetReflection(node));
 *     } else {
 *         fputs(millraceGetLastError(), stderr);
 *     }
 *     millraceNodeDestroy(node);
 *     millraceOptionsDestroy(options);
 *
 * Functions may be called from several threads at once, with different objects or with the same unchanging options.
 */
#ifndef MILLRACE_MILLRACE_H
#define MILLRACE_MILLRACE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MILLRACE_API
#else
#define MILLRACE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MillraceResult {
    MILLRACE_SUCCESS = 0,
    MILLRACE_ERROR_INVALID_ARGUMENT = 1, /* a null pointer or a value out of range */
    MILLRACE_ERROR_INVALID_SHADER = 2,   /* not SPIR-V, no such entry point, a broken rule of the extension */
    MILLRACE_ERROR_OUT_OF_MEMORY = 3,
    MILLRACE_ERROR_INTERNAL = 4 /* a fault of this library */
} MillraceResult;

/* What the device can do and what the application asked for. */
typedef struct MillraceOptions MillraceOptions;
/* A lowered node. */
typedef struct MillraceNode MillraceNode;

/* "major.minor.patch" of the library that was loaded. */
MILLRACE_API const char* millraceGetVersion(void);

/* Why the latest call on this thread that did not return MILLRACE_SUCCESS failed; never null, valid until the next call
 * on this thread. */
MILLRACE_API const char* millraceGetLastError(void);

/* Node shaders in GLSL, in the dialect of docs/glsl.md of the project, as `millrace compile` takes them. The result is
 * a module of SPV_AMDX_shader_enqueue for any implementation of the extension.
 *
 *     MillraceModule* module = NULL;
 *     if (millraceCompileGlsl(source, "node.comp", NULL, &module) == MILLRACE_SUCCESS)
 *         createShaderModule(millraceModuleGetWords(module, &wordCount), wordCount);
 *     else
 *         fputs(millraceGetLastError(), stderr);
 *     millraceModuleDestroy(module);
 */
typedef struct MillraceGlslOptions MillraceGlslOptions;
typedef struct MillraceModule MillraceModule;

/* Options begin without folders and definitions, and without debug information. */
MILLRACE_API MillraceResult millraceGlslOptionsCreate(MillraceGlslOptions** options);
MILLRACE_API void millraceGlslOptionsDestroy(MillraceGlslOptions* options);

/* Where #include <...> looks, in the order of the calls. #include "..." is looked for beside the including file first.
 */
MILLRACE_API MillraceResult millraceGlslOptionsAddIncludeFolder(MillraceGlslOptions* options, const char* folder);

/* A macro. A null value is the empty one. */
MILLRACE_API MillraceResult millraceGlslOptionsAddDefinition(MillraceGlslOptions* options, const char* name,
                                                             const char* value);

/* 1: keep the text of the source and line numbers in the module. */
MILLRACE_API MillraceResult millraceGlslOptionsSetDebugInformation(MillraceGlslOptions* options, int enabled);

/* Compiles one node. `source` is its text; `file` names it in messages and says from where it includes, and is not
 * opened. Null options are the initial ones. On failure *module is null, and millraceGetLastError() has a line
 * "FILE:LINE:COLUMN: error: REASON" for each error, with the line of the source and a mark behind it. */
MILLRACE_API MillraceResult millraceCompileGlsl(const char* source, const char* file,
                                                const MillraceGlslOptions* options, MillraceModule** module);
MILLRACE_API void millraceModuleDestroy(MillraceModule* module);

/* The module, what its entry point is called, and warnings in the form of errors, empty if there are none. They live as
 * long as the module. */
MILLRACE_API const uint32_t* millraceModuleGetWords(const MillraceModule* module, size_t* wordCount);
MILLRACE_API const char* millraceModuleGetEntryPoint(const MillraceModule* module);
MILLRACE_API const char* millraceModuleGetWarnings(const MillraceModule* module);

/* Options begin with these values: entry point "main", node name and index as the shader says, no specialization,
 * arguments at offset 0, subgroups of at least 4 invocations, packed workgroups of 64, no validation. */
MILLRACE_API MillraceResult millraceOptionsCreate(MillraceOptions** options);
MILLRACE_API void millraceOptionsDestroy(MillraceOptions* options);

MILLRACE_API MillraceResult millraceOptionsSetEntryPoint(MillraceOptions* options, const char* name);

/* VkPipelineShaderStageNodeCreateInfoAMDX::pName and ::index. A null name and MILLRACE_SHADER_INDEX_UNUSED leave to the
 * shader what its node is called. */
#define MILLRACE_SHADER_INDEX_UNUSED UINT32_MAX
MILLRACE_API MillraceResult millraceOptionsSetNode(MillraceOptions* options, const char* name, uint32_t index);

/* The value of a specialization constant, as a VkSpecializationMapEntry would give it. A later call for the same
 * constant replaces an earlier one. */
MILLRACE_API MillraceResult millraceOptionsSetSpecialization(MillraceOptions* options, uint32_t constantId,
                                                             const void* data, size_t bytes);

/* Where the arguments of the lowered shader begin in the push constants, behind those of the application; a multiple of
 * 8. They take MILLRACE_ARGUMENTS_BYTES. */
#define MILLRACE_ARGUMENTS_BYTES 32
MILLRACE_API MillraceResult millraceOptionsSetArgumentsOffset(MillraceOptions* options, uint32_t bytes);

/* 1: the application's push constants do not fit beside the arguments; the lowered shader reads them from memory. */
MILLRACE_API MillraceResult millraceOptionsSetPushConstantsInMemory(MillraceOptions* options, int enabled);

/* The least VkPhysicalDeviceSubgroupSizeControlProperties::minSubgroupSize the shader has to run with. */
MILLRACE_API MillraceResult millraceOptionsSetMinSubgroupSize(MillraceOptions* options, uint32_t invocations);

/* Invocations of a workgroup into which single-invocation nodes are packed; 0 packs nothing. */
MILLRACE_API MillraceResult millraceOptionsSetPackWidth(MillraceOptions* options, uint32_t invocations);

/* 1: lower for indirect dispatches, one workgroup for each workgroup of the node. */
MILLRACE_API MillraceResult millraceOptionsSetIndirect(MillraceOptions* options, int enabled);

/* 1: lower for dispatches whose scratch memory is enough for all they can do, 0: for all others. */
MILLRACE_API MillraceResult millraceOptionsSetFits(MillraceOptions* options, int enabled);

/* 1: run spirv-val on the result and fail with its message if it objects. */
MILLRACE_API MillraceResult millraceOptionsSetValidation(MillraceOptions* options, int enabled);

/* 1 if the module declares the capability ShaderEnqueueAMDX, else 0, also for what is not SPIR-V. */
MILLRACE_API int millraceUsesShaderEnqueue(const uint32_t* words, size_t wordCount);

/* Lowers one entry point. Null options are the initial ones. On failure *node is null. */
MILLRACE_API MillraceResult millraceLower(const uint32_t* words, size_t wordCount, const MillraceOptions* options,
                                          MillraceNode** node);
MILLRACE_API void millraceNodeDestroy(MillraceNode* node);

/* The compute shader, entry point "main". It lives as long as the node. */
MILLRACE_API const uint32_t* millraceNodeGetWords(const MillraceNode* node, size_t* wordCount);

/* What linking has to know of the node, as JSON. It lives as long as the node. */
MILLRACE_API const char* millraceNodeGetReflection(const MillraceNode* node);

#ifdef __cplusplus
}
#endif

#endif
