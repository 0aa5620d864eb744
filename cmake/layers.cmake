# belfry_unity(TARGET ROOT source…): compiles the files of one folder together, so a new file changes only its folder's
# group.
function(belfry_unity target root)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    foreach(source ${ARGN})
        file(RELATIVE_PATH folder ${root} ${source})
        get_filename_component(folder ${folder} DIRECTORY)
        string(MAKE_C_IDENTIFIER "in_${folder}" group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
endfunction()

# belfry_layer(NAME [DEPENDS lower layers] [LIBRARIES others]): one static library per folder of src/.
# A layer can include its own folder and those of the libraries that it links; tools/check_layers.py checks the
# includes.
function(belfry_layer name)
    cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    add_library(belfry_${name} STATIC ${sources})
    target_include_directories(belfry_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    list(TRANSFORM LAYER_DEPENDS PREPEND belfry_)
    target_link_libraries(belfry_${name} PUBLIC ${LAYER_DEPENDS} ${LAYER_LIBRARIES})
    if(BELFRY_UNITY)
        belfry_unity(belfry_${name} ${CMAKE_SOURCE_DIR}/src/${name} ${sources})
    endif()
    # The lowest layer builds the precompiled headers; the others share them.
    if(LAYER_DEPENDS)
        belfry_pch(belfry_${name} FROM belfry_base)
    else()
        belfry_pch(belfry_${name})
    endif()
endfunction()
