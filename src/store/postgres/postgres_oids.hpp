// The OIDs of the types that Belfry sends or reads, from PostgreSQL's catalogue (pg_type.dat). They never change.
#pragma once

#include <libpq-fe.h>

namespace belfry::store::postgres {

inline constexpr Oid kBool = 16;
inline constexpr Oid kBytea = 17;
inline constexpr Oid kInt8 = 20;
inline constexpr Oid kInt2 = 21;
inline constexpr Oid kInt4 = 23;
inline constexpr Oid kText = 25;
inline constexpr Oid kNumeric = 1700;

}  // namespace belfry::store::postgres
