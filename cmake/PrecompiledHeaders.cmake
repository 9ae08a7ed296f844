# Headers of others that many sources include are parsed once for all of them. Parsing is a third of what building takes. A
# source includes what it uses all the same: the test without_precompiled_headers compiles some without, and
# CMAKE_DISABLE_PRECOMPILE_HEADERS builds everything so.

set(millrace_standard_headers
  <algorithm> <array> <atomic> <bit> <cstddef> <cstdint> <cstring> <deque> <functional> <iterator> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <vector>)

# Compilers want the options of the source that a precompiled header was made for, so that libraries, programs and tests
# have one each. Targets share it.
set(empty_source ${CMAKE_CURRENT_BINARY_DIR}/precompiled/main.cpp)
file(CONFIGURE OUTPUT ${empty_source} CONTENT "int main() {}\n")
add_library(millrace_library_headers OBJECT EXCLUDE_FROM_ALL ${empty_source})
add_executable(millrace_program_headers EXCLUDE_FROM_ALL ${empty_source})
add_executable(millrace_test_headers EXCLUDE_FROM_ALL ${empty_source})
foreach(kind library program test)
  target_link_libraries(millrace_${kind}_headers PRIVATE millrace_options)
  target_precompile_headers(millrace_${kind}_headers PRIVATE ${millrace_standard_headers})
endforeach()

# All that the target links, directly or not, of this project and others.
function(millrace_linked target out)
  set(linked "")
  set(ahead ${target})
  while(ahead)
    list(POP_FRONT ahead next)
    if(NOT TARGET ${next} OR next IN_LIST linked)
      continue()
    endif()
    list(APPEND linked ${next})
    get_target_property(imported ${next} IMPORTED)
    if(NOT imported)
      foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
        get_target_property(libraries ${next} ${property})
        if(libraries)
          list(APPEND ahead ${libraries})
        endif()
      endforeach()
    endif()
  endwhile()
  set(${out} ${linked} PARENT_SCOPE)
endfunction()

# millrace_precompile_headers(<folder>): the targets of this project in the folder and below it, but those that have
# headers or options of their own. GCC 12 ends where a header was optimized in another way than the source.
function(millrace_precompile_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(own ${target} PRECOMPILE_HEADERS)
    get_target_property(options ${target} COMPILE_OPTIONS)
    millrace_linked(${target} linked)
    if(own OR options OR NOT "millrace_options" IN_LIST linked OR type STREQUAL "INTERFACE_LIBRARY")
      continue()
    elseif(NOT type STREQUAL "EXECUTABLE")
      set(kind library)
    elseif("GTest::gtest" IN_LIST linked OR "GTest::gtest_main" IN_LIST linked)
      set(kind test)
    else()
      set(kind program)
    endif()
    target_precompile_headers(${target} REUSE_FROM millrace_${kind}_headers)
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    millrace_precompile_headers(${below})
  endforeach()
endfunction()
