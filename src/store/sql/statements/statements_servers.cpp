#include "store/sql/statements/statements_servers.hpp"

namespace belfry::store::sql {

// The single row of leadership, which a migration inserted. Every renewal and every leave locks it first.
const Query<Leadership> kLockLeadership(
    "lock leadership",
    "SELECT s.holder, s.term, s.seen_us, s.until_us, s.newest_us FROM leadership s WHERE "
    "s.role = 'engine' {for update}",
    [](Columns& row) {
        return Leadership{row.text(), row.integer(), row.instant(), row.instant(), row.instant()};
    });
const Statement kUpdateLeadership("update leadership",
                                  "UPDATE leadership SET holder = :holder::text, term = :term, seen_us = :seen, "
                                  "until_us = :until, newest_us = :newest "
                                  "WHERE role = 'engine'");

// Never shortens a lease; an expired one starts again.
const Statement kRenewMembership(
    "renew_membership",
    "INSERT INTO servers (id, since_us, until_us) VALUES (:id::text, :now, :until) ON CONFLICT (id) DO UPDATE SET "
    "since_us = CASE WHEN servers.until_us <= excluded.since_us THEN excluded.since_us ELSE servers.since_us END, "
    "until_us = CASE WHEN servers.until_us < excluded.until_us THEN excluded.until_us ELSE servers.until_us END");
// A membership that ends later than any server requests was written before the clock was set back.
const Statement kForgetServers("forget servers", "DELETE FROM servers WHERE until_us <= :before OR until_us > :latest");
const Query<std::string> kServersAt("servers", "SELECT id FROM servers WHERE until_us > :now ORDER BY id", read_text);
const Statement kDeleteServer("delete server", "DELETE FROM servers WHERE id = :id::text");

}  // namespace belfry::store::sql
