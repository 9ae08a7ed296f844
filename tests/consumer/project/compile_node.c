/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a node in GLSL that includes a file from the folder argv[1], lowers it, and checks what the library
 * promises. */
#include <millrace/millrace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                               \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            fprintf(stderr, "FAILED: line %d: %s; %s\n", __LINE__, #condition, millraceGetLastError()); \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

static const char source[] =
    "#version 460\n"
    "#include <number.glsl>\n"
    "layout(name = \"twice\", static_grid = uvec3(GRID, 1, 1)) node;\n"
    "layout(local_size_x = 4) in;\n"
    "nodein Number number;\n"
    "layout(node = \"next\") nodeout Number twice[1];\n"
    "void main()\n"
    "{\n"
    "    allocateWorkgroup(twice, 1);\n"
    "    twice[0].value = 2 * number.value;\n"
    "    enqueue(twice);\n"
    "    OUT_OF_ORDER\n"
    "}\n";

/* As docs/glsl.md has it. */
static MillraceModule* compileWithoutOptions(void)
{
    MillraceModule* module = NULL;
    if (millraceCompileGlsl(source, "node.comp", NULL, &module) != MILLRACE_SUCCESS)
        fputs(millraceGetLastError(), stderr);
    return module;
}

static MillraceGlslOptions* createOptions(const char* folder, const char* statement)
{
    MillraceGlslOptions* options = NULL;
    EXPECT(millraceGlslOptionsCreate(&options) == MILLRACE_SUCCESS);
    EXPECT(millraceGlslOptionsAddIncludeFolder(options, folder) == MILLRACE_SUCCESS);
    EXPECT(millraceGlslOptionsAddDefinition(options, "GRID", "3") == MILLRACE_SUCCESS);
    EXPECT(millraceGlslOptionsAddDefinition(options, "OUT_OF_ORDER", statement) == MILLRACE_SUCCESS);
    return options;
}

static void compiles(const char* folder)
{
    MillraceGlslOptions* options = createOptions(folder, NULL);
    MillraceOptions* lowering = NULL;
    MillraceModule* module = NULL;
    MillraceNode* node = NULL;
    const uint32_t* words;
    size_t count = 0, withText = 0;

    EXPECT(millraceCompileGlsl(source, "twice.comp", options, &module) == MILLRACE_SUCCESS);
    words = millraceModuleGetWords(module, &count);
    EXPECT(count > 5 && millraceUsesShaderEnqueue(words, count));
    EXPECT(strcmp(millraceModuleGetEntryPoint(module), "twice") == 0);
    EXPECT(strcmp(millraceModuleGetWarnings(module), "") == 0);

    EXPECT(millraceOptionsCreate(&lowering) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetEntryPoint(lowering, millraceModuleGetEntryPoint(module)) == MILLRACE_SUCCESS);
    EXPECT(millraceLower(words, count, lowering, &node) == MILLRACE_SUCCESS);
    EXPECT(strstr(millraceNodeGetReflection(node), "\"next\"") != NULL);
    millraceNodeDestroy(node);
    millraceOptionsDestroy(lowering);
    millraceModuleDestroy(module);

    EXPECT(millraceGlslOptionsSetDebugInformation(options, 1) == MILLRACE_SUCCESS);
    EXPECT(millraceCompileGlsl(source, "twice.comp", options, &module) == MILLRACE_SUCCESS);
    EXPECT(millraceModuleGetWords(module, &withText) != NULL && withText > count);
    millraceModuleDestroy(module);
    millraceGlslOptionsDestroy(options);
}

static void warns(const char* folder)
{
    MillraceGlslOptions* options = createOptions(folder, "twice[0].value = 1;");
    MillraceModule* module = NULL;
    EXPECT(millraceCompileGlsl(source, "twice.comp", options, &module) == MILLRACE_SUCCESS);
    EXPECT(strncmp(millraceModuleGetWarnings(module), "twice.comp:12:", 14) == 0);
    millraceModuleDestroy(module);
    millraceGlslOptionsDestroy(options);
}

static void saysWhatIsWrong(const char* folder)
{
    MillraceGlslOptions* options = createOptions(folder, "absent = 1;");
    MillraceModule* module = NULL;
    EXPECT(millraceCompileGlsl(source, "twice.comp", options, &module) == MILLRACE_ERROR_INVALID_SHADER);
    EXPECT(module == NULL && strncmp(millraceGetLastError(), "twice.comp:12:", 14) == 0);
    EXPECT(strstr(millraceGetLastError(), "'absent'") != NULL);
    EXPECT(compileWithoutOptions() == NULL);
    EXPECT(strstr(millraceGetLastError(), "number.glsl") != NULL);

    EXPECT(millraceCompileGlsl(NULL, "twice.comp", options, &module) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceCompileGlsl(source, NULL, options, &module) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceCompileGlsl(source, "twice.comp", options, NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceGlslOptionsCreate(NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceGlslOptionsAddIncludeFolder(options, NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceGlslOptionsAddDefinition(options, "", "1") == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceGlslOptionsSetDebugInformation(NULL, 1) == MILLRACE_ERROR_INVALID_ARGUMENT);
    millraceGlslOptionsDestroy(options);

    /* Nothing to do, nothing to break. */
    millraceGlslOptionsDestroy(NULL);
    millraceModuleDestroy(NULL);
    EXPECT(millraceModuleGetWords(NULL, NULL) == NULL);
    EXPECT(millraceModuleGetEntryPoint(NULL)[0] == '\0' && millraceModuleGetWarnings(NULL)[0] == '\0');
}

int main(int argc, char** argv)
{
    EXPECT(argc == 2);
    compiles(argv[1]);
    warns(argv[1]);
    saysWhatIsWrong(argv[1]);
    printf("Millrace %s compiles GLSL\n", millraceGetVersion());
    return 0;
}
