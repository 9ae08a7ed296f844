# Targets of this project: one static library per folder of src/, with the same warnings everywhere.

add_library(millrace_options INTERFACE)
target_compile_options(millrace_options INTERFACE
  -Wall -Wextra -Wpedantic -Wno-missing-field-initializers $<$<BOOL:${MILLRACE_WERROR}>:-Werror>
  # Wrong about std::string in g++ 12 (GCC bug 105651), the last three where headers are precompiled: g++ no longer knows
  # them for a system's then.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
target_include_directories(millrace_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
# VK_AMDX_shader_enqueue is provisional: the headers show it only then. Empty, so that a source may say it again.
target_compile_definitions(millrace_options INTERFACE VK_ENABLE_BETA_EXTENSIONS=)

# millrace_library(<folder> SOURCES ... [LIBRARIES ...])
function(millrace_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(millrace_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(millrace_${name} PUBLIC millrace_options ${ARG_LIBRARIES})
endfunction()
