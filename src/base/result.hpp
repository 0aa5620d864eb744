// How Belfry reports what the world can cause: a value or an Error. Nothing here throws.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace belfry {

enum class ErrorCode : std::uint8_t {
    invalid_argument,  // the caller can fix it; `field` and `place` say where
    not_found,
    already_exists,
    conflict,         // someone else won the race; reload and decide again
    unavailable,      // the database is busy or away, and nothing was changed; the same call may work later
    unknown,          // the connection broke while committing: all of it happened or none; look before you repeat it
    corrupt,          // what was stored cannot be read; a person has to look
    unauthenticated,  // nobody knows who asks
    forbidden,        // it is known who asks, and that they may not
    exhausted,        // a quota or a rate is used up
};

// A part of a text that a person wrote, so that a caret can be put under it.
struct Place {
    std::size_t column = 0;  // 1-based; 0 means "nowhere in particular"
    std::size_t length = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

struct Error {
    ErrorCode code = ErrorCode::invalid_argument;
    std::string message;
    std::string field = {};        // JSON pointer into the request, or empty
    Place place = {};              // inside the text of that field
    std::vector<Error> more = {};  // what else is wrong with the same request
    bool from_database = false;    // the message has the database's own words in it: it is for logs, and no client sees it
    friend bool operator==(const Error&, const Error&) = default;
};

// A value or the reason there is none. Dropping one on the floor is a warning, and warnings are errors.
template <typename T>
struct [[nodiscard]] Result : boost::system::result<T, Error> {
    using boost::system::result<T, Error>::result;
};

inline Error invalid(std::string message, Place place = {}) { return Error{ErrorCode::invalid_argument, std::move(message), {}, place}; }

// With words of the database in it.
inline Error from_database(ErrorCode code, std::string message) {
    Error error{code, std::move(message)};
    error.from_database = true;
    return error;
}

// The error as seen from one level further out: `prefix` is the pointer to the part that it came from.
inline Error in_field(Error error, const std::string& prefix) {
    error.field = prefix + error.field;
    for (auto& other : error.more) other.field = prefix + other.field;
    return error;
}

}  // namespace belfry

// boost::system::result asks for this hook; value() on an error is a bug, so it ends the program.
namespace belfry {
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);
}
