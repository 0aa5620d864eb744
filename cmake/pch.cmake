# Precompiled headers: parsing the standard library and Boost.JSON is most of the cost of a small file. Sources still
# include what they use; -DBELFRY_PCH=OFF compiles without precompiled headers and so finds missing includes. The clang
# preset does that; clang-tidy took longer with precompiled headers on the two files that were measured.
option(BELFRY_PCH "Precompile the library headers that most files include" ON)
# Only the fuzzed layers are instrumented, and clang shares precompiled headers only between targets with equal options.
if(BELFRY_FUZZ)
    set(BELFRY_PCH OFF)
endif()

# Without CLI11: each of three files of app/ took longer to compile with CLI/CLI.hpp in this list than without.
set(belfry_pch_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <compare> <condition_variable> <cstdint> <deque> <filesystem>
    <fstream> <functional> <map> <memory> <mutex> <optional> <ostream> <set> <span> <sstream> <string> <string_view>
    <thread> <unordered_map> <utility> <variant> <vector> <boost/json.hpp> <boost/system/result.hpp>)

# belfry_pch(TARGET [FROM other | HEADERS more]): uses the precompiled headers of another target, or builds its own.
# Both targets need the same compile options; a target may add definitions that no precompiled header reads.
function(belfry_pch target)
    cmake_parse_arguments(PCH "" "FROM" "HEADERS" ${ARGN})
    if(NOT BELFRY_PCH)
        return()
    endif()
    if(PCH_FROM)
        target_precompile_headers(${target} REUSE_FROM ${PCH_FROM})
    else()
        target_precompile_headers(${target} PRIVATE ${belfry_pch_headers} ${PCH_HEADERS})
    endif()
endfunction()

if(BELFRY_PCH)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # The time stamp of the generated header would make a precompiled header from ccache look outdated.
        add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
    else()
        # ccache needs the preprocessor to handle the precompiled header.
        add_compile_options(-fpch-preprocess)
        # With precompiled headers GCC 12 reports these for std::string operator+ in cron_expression.cpp; probably
        # false, like -Wrestrict in warnings.cmake.
        add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
    endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
    # Without these settings ccache does not cache files that use a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
