# Documents and examples for the installation, and packages of all that is installed: `cpack` in a build folder makes a
# .deb for Debian and a .tar.gz that runs wherever it is unpacked.

# As in the source tree, so that links between documents lead to the same.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/millrace)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${documents})
install(DIRECTORY docs DESTINATION ${documents})
# Of what has to be built, programs that stand alone come with their CMakeLists.txt.
install(DIRECTORY examples DESTINATION ${documents} PATTERN CMakeLists.txt EXCLUDE)
install(FILES examples/first_program/CMakeLists.txt DESTINATION ${documents}/examples/first_program)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME millrace)
set(CPACK_PACKAGE_VENDOR Millrace)
set(CPACK_PACKAGE_CONTACT "Millrace maintainers" CACHE STRING "Maintainer that packages name, as \"Name <address>\"")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Vulkan execution graphs on every Vulkan 1.3 driver")
set(CPACK_PACKAGE_DESCRIPTION "The Vulkan layer VK_LAYER_MILLRACE_emulation provides VK_AMDX_shader_enqueue on plain compute.
The tool millrace compiles, runs, draws and profiles execution graphs, and the C library compiles their nodes.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME millrace-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The tool opens the loader while it runs, which no shared object says.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libvulkan1)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS mesa-vulkan-drivers)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
