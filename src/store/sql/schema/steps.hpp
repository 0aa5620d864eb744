// The SQL of every step of the schema, one file each. A step that was released never changes.
#pragma once

#include <string_view>

namespace belfry::store::sql {

extern const std::string_view kSchemaStep1;
extern const std::string_view kSchemaStep2;
extern const std::string_view kSchemaStep3;
extern const std::string_view kSchemaStep4;
extern const std::string_view kSchemaStep5;
extern const std::string_view kSchemaStep6;
extern const std::string_view kSchemaStep7;
extern const std::string_view kSchemaStep8;
extern const std::string_view kSchemaStep9;
extern const std::string_view kSchemaStep10;
extern const std::string_view kSchemaStep11;
extern const std::string_view kSchemaStep12;

}  // namespace belfry::store::sql
