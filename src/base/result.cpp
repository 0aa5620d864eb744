#include "base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace belfry {

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
    std::fprintf(stderr, "belfry: bug: value() of an error at %s:%u: %s\n", where.file_name(),
                 static_cast<unsigned>(where.line()), error.message.c_str());
    std::abort();
}

}  // namespace belfry
