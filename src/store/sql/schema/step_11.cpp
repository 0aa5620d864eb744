#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

const std::string_view kSchemaStep11 = R"(
{refuse gaps without undo}
)";

}  // namespace belfry::store::sql
