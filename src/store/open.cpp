#include "store/open.hpp"

#include "base/text/ascii.hpp"

namespace belfry::store {

Result<std::unique_ptr<sql::Database>> open_database(const std::string& address) {
    constexpr std::string_view kSqlite = "sqlite:";
    if (address.starts_with(kSqlite)) return sql::open_sqlite(address.substr(kSqlite.size()));
    if (address.starts_with("postgres://") || address.starts_with("postgresql://"))
        return sql::open_postgres({.url = address});
    return invalid(in_quotes(address) + " is not a store: use sqlite:PATH or postgres://USER@HOST/DATABASE");
}

}  // namespace belfry::store
