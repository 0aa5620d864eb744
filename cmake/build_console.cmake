# Builds the web console in FOLDER, from a copy of its sources, and generates FOLDER/console_files.cpp.
#   SOURCE  the folder of the repository
#   BUILD   whether to build it; if not, the program has no console
#   MODE    AUTO: if npm cannot install the packages, for example without a network, the program has no console
#   NODE, NPM   the programs
function(embed)
    if(BUILD)
        set(embed_command ${NODE} ${SOURCE}/console/scripts/embed.mjs ${FOLDER}/console/dist ${FOLDER})
        execute_process(COMMAND ${embed_command} COMMAND_ERROR_IS_FATAL ANY)
    else()
        file(WRITE ${FOLDER}/console_files.cpp "#include \"api/console/console_files.hpp\"\n"
             "std::span<const belfry::api::ConsoleFile> belfry::api::console_files() { return {}; }\n")
    endif()
endfunction()

# Packages stay installed until the list of packages changes.
function(install_packages result)
    set(stamp ${FOLDER}/packages.lock)
    set(${result} 0 PARENT_SCOPE)
    if(EXISTS ${stamp})
        file(SHA256 ${stamp} installed)
        file(SHA256 ${SOURCE}/console/package-lock.json wanted)
        if(installed STREQUAL wanted AND EXISTS ${FOLDER}/console/node_modules)
            return()
        endif()
    endif()
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
        WORKING_DIRECTORY ${FOLDER}/console RESULT_VARIABLE code)
    set(${result} ${code} PARENT_SCOPE)
    if(code EQUAL 0)
        configure_file(${SOURCE}/console/package-lock.json ${stamp} COPYONLY)
    endif()
endfunction()

if(BUILD)
    file(REMOVE_RECURSE ${FOLDER}/console/src ${FOLDER}/sdk)
    file(COPY ${SOURCE}/console DESTINATION ${FOLDER} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
    file(COPY ${SOURCE}/sdk/typescript/src DESTINATION ${FOLDER}/sdk/typescript)
    install_packages(code)
    if(NOT code EQUAL 0 AND MODE STREQUAL "AUTO")
        message(WARNING "npm cannot install the packages of the web console, so the program has no console. "
                        "Build with -DBELFRY_CONSOLE=ON to make this an error.")
        set(BUILD OFF)
    elseif(NOT code EQUAL 0)
        message(FATAL_ERROR "npm cannot install the packages of the web console")
    else()
        execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${FOLDER}/console
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
endif()
embed()
