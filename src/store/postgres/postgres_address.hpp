// Where a database is and how to reach it: a URL, completed with our defaults.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "store/postgres/postgres_handles.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::postgres {

class Address {
public:
    // Errors: invalid_argument. They never quote the URL, because nobody knows where in a mistyped one the password is.
    [[nodiscard]] static Result<Address> parse(const sql::PostgresOptions& options);

    // Waits for at most connect_timeout for every host of the URL. Errors: unavailable.
    [[nodiscard]] Result<ConnectionHandle> connect() const;

private:
    void add_unless_there(const std::string& keyword, const std::string& value);
    [[nodiscard]] bool tells_password(const std::string& text) const;

    std::vector<std::pair<std::string, std::string>> parameters_;
    std::string password_;
};

}  // namespace belfry::store::postgres
