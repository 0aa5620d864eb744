# `cmake --install build --component library`: the library, its headers, and what find_package(Belfry) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(belfry_libraries belfry_base belfry_spec belfry_model belfry_decide belfry_store belfry_brokers belfry_engine
    belfry_api belfry_embed)
set(belfry_package ${CMAKE_INSTALL_LIBDIR}/cmake/Belfry)
set_target_properties(belfry_embed PROPERTIES EXPORT_NAME belfry)
install(TARGETS ${belfry_libraries} EXPORT BelfryTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/belfry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT BelfryTargets NAMESPACE Belfry:: DESTINATION ${belfry_package} COMPONENT library)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/BelfryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/BelfryConfig.cmake ${CMAKE_BINARY_DIR}/BelfryConfigVersion.cmake
        DESTINATION ${belfry_package} COMPONENT library)
