# What find_package(Millrace) of others finds: the targets that are installed, and the function millrace_add_nodes().
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Millrace)
install(EXPORT MillraceTargets NAMESPACE Millrace:: DESTINATION ${package_dir})
configure_package_config_file(cmake/MillraceConfig.cmake.in MillraceConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(MillraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/MillraceConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/MillraceConfigVersion.cmake
              cmake/MillraceAddNodes.cmake cmake/EmbedSpirv.cmake
        DESTINATION ${package_dir})
