#include "store/sql/values.hpp"

#include "model/schedule/schedule_json.hpp"

namespace belfry::store::sql {

Result<Json> parse_stored(std::string_view text) {
    auto json = parse_json(text, model::kStoredJsonLimits);
    if (!json) return Error{ErrorCode::corrupt, "a stored JSON text cannot be read: " + json.error().message};
    return json;
}

}  // namespace belfry::store::sql
