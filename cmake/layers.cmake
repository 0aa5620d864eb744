# belfry_layer(NAME [DEPENDS lower layers] [LIBRARIES others]): one static library per folder of src/.
# A layer sees its own folder and, through the libraries it links, the lower ones; tools/check_layers.py checks the includes.
function(belfry_layer name)
    cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    add_library(belfry_${name} STATIC ${sources})
    target_include_directories(belfry_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    list(TRANSFORM LAYER_DEPENDS PREPEND belfry_)
    target_link_libraries(belfry_${name} PUBLIC ${LAYER_DEPENDS} ${LAYER_LIBRARIES})
    # The route files of api name their handlers alike, and Asio and Beast need much memory: that layer stays as it is.
    if(BELFRY_UNITY AND NOT name STREQUAL api)
        set_target_properties(belfry_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
    # The lowest layer makes the precompiled headers, the others share them.
    if(LAYER_DEPENDS)
        belfry_pch(belfry_${name} FROM belfry_base)
    else()
        belfry_pch(belfry_${name})
    endif()
endfunction()
