// Opens a store by its address.
#pragma once

#include <memory>
#include <string>

#include "store/sql/database.hpp"
#include "store/store.hpp"

namespace belfry::store {

// `sqlite:PATH`, or a PostgreSQL URL `postgres://…`.
[[nodiscard]] Result<std::unique_ptr<sql::Database>> open_database(const std::string& address);

}  // namespace belfry::store
