# Warnings are errors in our own code; libraries are system headers, which cause no warnings.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                    -Wold-style-cast -Wcast-qual -Wformat=2 -Wundef -Werror)
# Aggregates with default member initializers may be initialized partially.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-Wthread-safety -Wimplicit-fallthrough)
else()
    add_compile_options(-Wlogical-op -Wduplicated-cond -Wduplicated-branches)
    # GCC 12 reports a false positive for std::string operator+ in optimised builds (GCC bug 105651).
    add_compile_options(-Wno-restrict)
endif()

if(BELFRY_SANITIZE)
    add_compile_options(-fsanitize=${BELFRY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BELFRY_SANITIZE})
    # With sanitizers GCC 12 reports false positives about the contents of optionals and variants.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    if(BELFRY_SANITIZE MATCHES thread)
        # ThreadSanitizer does not support Asio's fences.
        add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    endif()
    if(BELFRY_SANITIZE MATCHES address.*undefined)
        # AddressSanitizer finds the same errors on access, and these checks take a fifth of the compile time.
        add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
    endif()
endif()
