# compile_glsl(<target> SHADERS <row>...) builds GLSL to SPIR-V at build time and makes <target>, a static library with
# one array per shader: `namespace millrace::shaders { extern const std::span<const uint32_t> <name>; }` in
# "shaders/<target>.h". A row is "<name>|<file>|<glslang options>", so that all variants of a file can be seen at a
# glance. Libraries of functions (--no-link) are cleaned up as the compiler would do it each time that it specializes one
# (src/spirv/clean_up.cpp). Every result is checked by spirv-val. Nothing generated is committed.

find_program(GLSLANG_EXECUTABLE NAMES glslang glslangValidator REQUIRED)
find_program(SPIRV_VAL_EXECUTABLE spirv-val REQUIRED)
find_program(SPIRV_OPT_EXECUTABLE spirv-opt REQUIRED)

function(compile_glsl target)
  cmake_parse_arguments(ARG "" "" "SHADERS" ${ARGN})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(MAKE_DIRECTORY ${dir}/shaders)
  set(declarations "")
  set(definitions "")
  set(outputs "")
  foreach(row IN LISTS ARG_SHADERS)
    string(REPLACE "|" ";" parts "${row}")
    list(GET parts 0 name)
    list(GET parts 1 file)
    set(options "")
    list(LENGTH parts count)
    if(count GREATER 2)
      list(GET parts 2 options)
      separate_arguments(options)
    endif()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    # Libraries need the Linkage capability, which no Vulkan environment allows.
    set(environment vulkan1.3)
    set(clean_up "")
    if("--no-link" IN_LIST options)
      set(environment spv1.6)
      set(clean_up COMMAND ${SPIRV_OPT_EXECUTABLE} --ssa-rewrite --ccp --eliminate-dead-branches --merge-blocks
          --eliminate-dead-code-aggressive ${dir}/${name}.spv -o ${dir}/${name}.spv)
    endif()
    # The module has a command of its own: glslang's dependency file names it, and no other output.
    add_custom_command(
      OUTPUT ${dir}/${name}.spv
      COMMAND ${GLSLANG_EXECUTABLE} --target-env vulkan1.3 -V --quiet ${options} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/src/shaders
              --depfile ${dir}/${name}.d -o ${dir}/${name}.spv ${source}
      ${clean_up}
      COMMAND ${SPIRV_VAL_EXECUTABLE} --target-env ${environment} --scalar-block-layout ${dir}/${name}.spv
      DEPENDS ${source}
      DEPFILE ${dir}/${name}.d
      COMMENT "Compiling ${file} as ${name}"
      VERBATIM)
    add_custom_command(
      OUTPUT ${dir}/${name}.inc
      COMMAND ${CMAKE_COMMAND} -DINPUT=${dir}/${name}.spv -DOUTPUT=${dir}/${name}.inc
              -P ${PROJECT_SOURCE_DIR}/cmake/EmbedSpirv.cmake
      DEPENDS ${dir}/${name}.spv ${PROJECT_SOURCE_DIR}/cmake/EmbedSpirv.cmake
      COMMENT "Embedding ${name}"
      VERBATIM)
    list(APPEND outputs ${dir}/${name}.inc)
    string(APPEND declarations "extern const std::span<const uint32_t> ${name};\n")
    string(APPEND definitions
      "static const uint32_t ${name}_words[] = {\n#include \"${name}.inc\"\n};\n"
      "const std::span<const uint32_t> ${name}{${name}_words};\n")
  endforeach()
  set(prologue "#include <cstdint>\n#include <span>\nnamespace millrace::shaders {\n")
  file(CONFIGURE OUTPUT ${dir}/shaders/${target}.h CONTENT "#pragma once\n${prologue}${declarations}}\n")
  file(CONFIGURE OUTPUT ${dir}/${target}.cpp CONTENT "#include \"shaders/${target}.h\"\n${prologue}${definitions}}\n")
  set_source_files_properties(${dir}/${target}.cpp PROPERTIES OBJECT_DEPENDS "${outputs}")
  add_library(${target} STATIC ${dir}/${target}.cpp)
  target_include_directories(${target} PUBLIC ${dir})
  add_custom_target(${target}_spirv DEPENDS ${outputs})
  add_dependencies(${target} ${target}_spirv)
endfunction()
