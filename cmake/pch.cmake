# Precompiled headers: parsing the standard library and Boost.JSON is most of the cost of a small file. Sources still
# include what they use; -DBELFRY_PCH=OFF compiles them without this help and shows where one does not.
# The clang preset is that check; clang-tidy took longer with them on the two files measured.
option(BELFRY_PCH "Precompile the library headers that most files include" ON)
# The fuzzed layers are instrumented and the others are not, and clang shares precompiled headers only between equals.
if(BELFRY_FUZZ)
    set(BELFRY_PCH OFF)
endif()

# Without CLI11: three files of app/ were measured, and each took longer with CLI/CLI.hpp in here than with this list.
set(belfry_pch_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <compare> <condition_variable> <cstdint> <deque> <filesystem> <fstream>
    <functional> <map> <memory> <mutex> <optional> <ostream> <set> <span> <sstream> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector> <boost/json.hpp> <boost/system/result.hpp>)

# belfry_pch(TARGET [FROM other | HEADERS more]): use the precompiled headers of another target, or make own ones.
# Both targets need the same compile options; definitions may be added as long as no precompiled header reads them.
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
        # The time stamp of the generated header would make a precompiled header from ccache look out of date.
        add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
    else()
        # ccache can look past a precompiled header only if the preprocessor does.
        add_compile_options(-fpch-preprocess)
        # With precompiled headers GCC 12 reports these for std::string operator+ in cron_expression.cpp; probably wrong, as
        # -Wrestrict is in warnings.cmake.
        add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
    endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
    # Without these ccache refuses to store what was compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
