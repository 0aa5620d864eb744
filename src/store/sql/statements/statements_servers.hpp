// Statements for servers and leadership.
#pragma once

#include <string>

#include "store/leadership.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

extern const Query<Leadership> kLockLeadership;
extern const Statement kUpdateLeadership;
extern const Statement kRenewMembership;
extern const Statement kForgetServers;
extern const Query<std::string> kServersAt;
extern const Statement kDeleteServer;

}  // namespace belfry::store::sql
