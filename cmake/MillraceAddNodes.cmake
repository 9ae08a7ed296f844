# millrace_add_nodes(<target> <file>... [HEADER <name>] [INCLUDE <folder>...] [DEFINE <name>[=<value>]...] [DEBUG])
#
# Compiles node shaders in GLSL (docs/glsl.md) for a target in C or C++ that has been added before. The target may then
# include the header, "nodes.h" unless HEADER says otherwise, which has the words of each file as an array of uint32_t that
# is named after the file: start_comp of start.comp. Paths are relative to the current source folder. A file is compiled
# again when it, or what it includes, changes. DEBUG keeps source text and line numbers.
function(millrace_add_nodes target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "DEBUG" "HEADER" "INCLUDE;DEFINE")
  if(NOT TARGET Millrace::tool)
    message(FATAL_ERROR "millrace_add_nodes: this installation of Millrace has no tool, which compiles shaders")
  endif()
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "millrace_add_nodes: no shaders for ${target}")
  endif()
  if(NOT ARG_HEADER)
    set(ARG_HEADER nodes.h)
  endif()
  set(options "")
  foreach(folder IN LISTS ARG_INCLUDE)
    cmake_path(ABSOLUTE_PATH folder)
    list(APPEND options -I ${folder})
  endforeach()
  foreach(definition IN LISTS ARG_DEFINE)
    list(APPEND options -D ${definition})
  endforeach()
  if(ARG_DEBUG)
    list(APPEND options -g)
  endif()

  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}_nodes)
  file(MAKE_DIRECTORY ${dir})
  set(header "/* Made by millrace_add_nodes(). */\n#pragma once\n#include <stdint.h>\n")
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE source)
    cmake_path(GET source FILENAME name)
    string(MAKE_C_IDENTIFIER ${name} name)
    if(name IN_LIST names)
      message(FATAL_ERROR "millrace_add_nodes: two shaders of ${target} would be called ${name}")
    endif()
    list(APPEND names ${name})
    add_custom_command(
      OUTPUT ${dir}/${name}.spv
      COMMAND Millrace::tool compile ${source} ${options} --depfile ${dir}/${name}.d -o ${dir}/${name}.spv
      DEPENDS ${source} Millrace::tool
      DEPFILE ${dir}/${name}.d
      COMMENT "Compiling node shader ${file}"
      VERBATIM)
    add_custom_command(
      OUTPUT ${dir}/${name}.inc
      COMMAND ${CMAKE_COMMAND} -DINPUT=${dir}/${name}.spv -DOUTPUT=${dir}/${name}.inc
              -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedSpirv.cmake
      DEPENDS ${dir}/${name}.spv
      VERBATIM)
    target_sources(${target} PRIVATE ${dir}/${name}.inc)
    string(APPEND header "static const uint32_t ${name}[] = {\n#include \"${name}.inc\"\n};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${dir}/${ARG_HEADER} CONTENT "${header}" @ONLY)
  target_include_directories(${target} PRIVATE ${dir})
endfunction()
