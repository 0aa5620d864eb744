# belfry_console(TARGET): compiles the files of the web console into TARGET. Without Node and npm, TARGET has none, and
# the server says at `/` how to get the console.
set(BELFRY_CONSOLE AUTO CACHE STRING "Build the web console: ON, OFF, or AUTO, if Node 18 or newer and npm are there")
set_property(CACHE BELFRY_CONSOLE PROPERTY STRINGS AUTO ON OFF)

find_program(NODE_PROGRAM node)
find_program(NPM_PROGRAM npm)
set(console_tools_found OFF)
if(NODE_PROGRAM AND NPM_PROGRAM)
    execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
    if(node_version VERSION_GREATER_EQUAL 18)
        set(console_tools_found ON)
    endif()
endif()
if(BELFRY_CONSOLE STREQUAL "AUTO")
    set(BELFRY_BUILD_CONSOLE ${console_tools_found})
else()
    set(BELFRY_BUILD_CONSOLE ${BELFRY_CONSOLE})
endif()
if(BELFRY_BUILD_CONSOLE AND NOT console_tools_found)
    message(FATAL_ERROR "BELFRY_CONSOLE=ON needs Node 18 or newer and npm: apt install nodejs npm")
endif()

function(belfry_console target)
    set(folder ${CMAKE_BINARY_DIR}/console)
    set(generated ${folder}/console_files.cpp)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/console/src/* ${CMAKE_SOURCE_DIR}/console/scripts/*
         ${CMAKE_SOURCE_DIR}/sdk/typescript/src/*)
    file(GLOB settings CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/console/*.json ${CMAKE_SOURCE_DIR}/console/*.ts
         ${CMAKE_SOURCE_DIR}/console/*.html)
    set(script ${CMAKE_SOURCE_DIR}/cmake/build_console.cmake)
    add_custom_command(OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DFOLDER=${folder} -DBUILD=${BELFRY_BUILD_CONSOLE}
            -DMODE=${BELFRY_CONSOLE} -DNODE=${NODE_PROGRAM} -DNPM=${NPM_PROGRAM} -P ${script}
        DEPENDS ${sources} ${settings} ${script} COMMENT "Building the web console" VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    set_source_files_properties(${generated} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
