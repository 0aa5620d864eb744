# Warnings are errors for our own code; libraries are included as system headers and stay quiet.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
                    -Wformat=2 -Wundef -Werror)
# Aggregates with default member initializers are meant to be filled in part.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-Wthread-safety -Wimplicit-fallthrough)
else()
    add_compile_options(-Wlogical-op -Wduplicated-cond -Wduplicated-branches)
    # GCC 12 warns wrongly about std::string operator+ in optimised builds (GCC bug 105651).
    add_compile_options(-Wno-restrict)
endif()

if(BELFRY_SANITIZE)
    add_compile_options(-fsanitize=${BELFRY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${BELFRY_SANITIZE})
    # With sanitizers GCC 12 loses sight of what an optional or a variant holds.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    if(BELFRY_SANITIZE MATCHES address.*undefined)
        # What these find, AddressSanitizer finds when it is used; they take a fifth of the time to compile.
        add_compile_options(-fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
    endif()
endif()
