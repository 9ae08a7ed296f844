/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers the node shader in the file argv[1], entry point "recurse", and checks what the library promises. */
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

static uint32_t words[65536];

static size_t readWords(const char* path)
{
    FILE* file = fopen(path, "rb");
    size_t count;
    EXPECT(file != NULL);
    count = fread(words, sizeof(words[0]), sizeof(words) / sizeof(words[0]), file);
    fclose(file);
    return count;
}

static void lowers(size_t count)
{
    MillraceOptions* options = NULL;
    MillraceNode* node = NULL;
    size_t lowered = 0;

    EXPECT(millraceOptionsCreate(&options) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetEntryPoint(options, "recurse") == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetNode(options, "renamed", 3) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetArgumentsOffset(options, 64) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetPushConstantsInMemory(options, 0) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetMinSubgroupSize(options, 8) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetPackWidth(options, 32) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetIndirect(options, 0) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetFits(options, 1) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetValidation(options, 1) == MILLRACE_SUCCESS);
    EXPECT(millraceLower(words, count, options, &node) == MILLRACE_SUCCESS);

    EXPECT(millraceNodeGetWords(node, &lowered) != NULL);
    EXPECT(lowered > 5 && millraceNodeGetWords(node, NULL)[0] == words[0]);
    EXPECT(!millraceUsesShaderEnqueue(millraceNodeGetWords(node, NULL), lowered));
    EXPECT(strstr(millraceNodeGetReflection(node), "\"name\": \"renamed\"") != NULL);
    EXPECT(strstr(millraceNodeGetReflection(node), "\"index\": 3") != NULL);
    EXPECT(strstr(millraceNodeGetReflection(node), "\"maxRecursion\": 4") != NULL);
    puts(millraceNodeGetReflection(node));
    millraceNodeDestroy(node);
    millraceOptionsDestroy(options);
}

static void saysWhatIsWrong(size_t count)
{
    const uint32_t nonsense[] = {1, 2, 3};
    const uint32_t value = 7;
    MillraceOptions* options = NULL;
    MillraceNode* node = NULL;

    EXPECT(millraceLower(nonsense, 3, NULL, &node) == MILLRACE_ERROR_INVALID_SHADER);
    EXPECT(node == NULL && strlen(millraceGetLastError()) > 0);
    EXPECT(millraceLower(words, count, NULL, &node) == MILLRACE_ERROR_INVALID_SHADER); /* has no entry point "main" */
    EXPECT(strstr(millraceGetLastError(), "main") != NULL);
    EXPECT(millraceLower(NULL, 0, NULL, &node) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceLower(words, count, NULL, NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(!millraceUsesShaderEnqueue(nonsense, 3));

    EXPECT(millraceOptionsCreate(NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsSetEntryPoint(NULL, "main") == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsCreate(&options) == MILLRACE_SUCCESS);
    EXPECT(millraceOptionsSetEntryPoint(options, NULL) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsSetArgumentsOffset(options, 12) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsSetMinSubgroupSize(options, 0) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsSetSpecialization(options, 0, &value, 3) == MILLRACE_ERROR_INVALID_ARGUMENT);
    EXPECT(millraceOptionsSetSpecialization(options, 0, &value, 4) == MILLRACE_SUCCESS);

    /* Nothing to do, nothing to break. */
    millraceOptionsDestroy(options);
    millraceOptionsDestroy(NULL);
    millraceNodeDestroy(NULL);
    EXPECT(millraceNodeGetWords(NULL, NULL) == NULL);
    EXPECT(millraceNodeGetReflection(NULL)[0] == '\0');
}

int main(int argc, char** argv)
{
    size_t count;
    EXPECT(argc == 2);
    count = readWords(argv[1]);
    EXPECT(millraceUsesShaderEnqueue(words, count));
    lowers(count);
    saysWhatIsWrong(count);
    printf("Millrace %s works\n", millraceGetVersion());
    return 0;
}
