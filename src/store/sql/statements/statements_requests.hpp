// Statements for request keys.
#pragma once

#include <string>

#include "store/sql/row.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct RequestPlace {
    std::int64_t tenant = 0;
    std::string key;
};

extern const Query<RequestRecord> kRequest;
extern const Query<RequestPlace> kTakenRequests;
extern const Query<RequestPlace> kOldRequests;
extern const Statement kDeleteRequests;

}  // namespace belfry::store::sql
