// How Belfry reports expected failures: a value or an Error. Nothing here throws.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace belfry {

enum class ErrorCode : std::uint8_t {
    invalid_argument,  // the caller can fix it; `field` and `place` give the location
    not_found,
    already_exists,
    conflict,         // another writer won; reload and decide again
    unavailable,      // the database is busy or unreachable, and nothing was changed; a retry may succeed
    unknown,          // the connection broke during the commit: all of it happened or none; check before a retry
    corrupt,          // stored data cannot be read; a person must look at it
    unauthenticated,  // the caller's identity is unknown
    forbidden,        // the caller is known and lacks the permission
    exhausted,        // a quota or a rate limit is used up
};

// A part of a text that a person wrote, for a caret below it.
struct Place {
    std::size_t column = 0;  // 1-based; 0 means no position
    std::size_t length = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

struct Error {
    ErrorCode code = ErrorCode::invalid_argument;
    std::string message;
    std::string field = {};        // JSON pointer into the request, or empty
    Place place = {};              // inside the text of that field
    std::vector<Error> more = {};  // further errors of the same request
    bool from_database = false;    // the message quotes the database: it is for logs only, clients do not see it
    // Of `exhausted` and `unavailable`: after how many seconds the same call may work. 0: waiting does not help.
    std::int64_t retry_after_s = 1;
    friend bool operator==(const Error&, const Error&) = default;
};

// A value or an error. The compiler rejects code that ignores it.
template <typename T>
struct [[nodiscard]] Result : boost::system::result<T, Error> {
    using boost::system::result<T, Error>::result;
};

inline Error invalid(std::string message, Place place = {}) {
    return Error{ErrorCode::invalid_argument, std::move(message), {}, place};
}

// An error whose message quotes the database.
inline Error from_database(ErrorCode code, std::string message) {
    Error error{code, std::move(message)};
    error.from_database = true;
    return error;
}

// Prepends `prefix`, the pointer to the part of the request, to the error's field.
inline Error in_field(Error error, const std::string& prefix) {
    error.field = prefix + error.field;
    for (auto& other : error.more) other.field = prefix + other.field;
    return error;
}

}  // namespace belfry

// The hook of boost::system::result. value() on an error is a bug, so it ends the program.
namespace belfry {
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);
}
