// The address of a database: a URL, completed with Belfry's defaults.
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
    // Errors: invalid_argument. They never quote the URL, because the password can be anywhere in a mistyped one.
    [[nodiscard]] static Result<Address> parse(const sql::PostgresOptions& options);

    // Waits at most connect_timeout for each host of the URL. Errors: unavailable.
    [[nodiscard]] Result<ConnectionHandle> connect() const;

private:
    void add_unless_there(const std::string& keyword, const std::string& value);
    [[nodiscard]] bool tells_password(const std::string& text) const;

    std::vector<std::pair<std::string, std::string>> parameters_;
    std::string password_;
};

}  // namespace belfry::store::postgres
