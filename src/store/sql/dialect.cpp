#include "store/sql/statement.hpp"

namespace belfry::store::sql {

// The words that the two databases spell differently, side by side. A word in a statement without an entry here is a bug.
const Dialect& sqlite_dialect() {
    static const Dialect dialect{
        "SQLite",
        false,
        false,
        {
            {"key", "INTEGER PRIMARY KEY"},
            {"ascending key", "INTEGER PRIMARY KEY AUTOINCREMENT"},
            // The writers take turns: the next number is the next position, and what can be seen is settled.
            {"feed position", "NULL"},
            {"settled", "1"},
            {"bytes", "BLOB"},
            {"bytewise", ""},
            {"clustered", "WITHOUT ROWID"},
            {"wide clustered", ""},
            {"roomy", ""},
            {"some room", ""},
            {"tables", "sqlite_master"},
            {"table name", "name"},
            {"lock ledger", ""},
            {"target type", "json_extract(d.body, '$.target.type')"},
            {"target kind", "COALESCE(json_extract(d.body, '$.target.taskKind'), json_extract(d.body, '$.target.workflowKind'))"},
            {"target version", "json_extract(d.body, '$.target.version')"},
            {"for share", ""},
            {"for update", ""},
            {"skip locked", ""},
            {"is a task of",
             "(queue_key, rank, ready_us, schedule_key, slot, node) IN "
             "(SELECT s.queue_key, s.rank, s.ready_us, s.schedule_key, s.slot, s.node"},
            {"end of those", ")"},
            {"append only", R"(
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'audit events are never changed'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'audit events are never removed'); END;
CREATE TRIGGER events_have_no_gaps BEFORE INSERT ON events
    WHEN NEW.sequence > 1 AND NOT EXISTS (SELECT 1 FROM events WHERE schedule_key = NEW.schedule_key AND sequence = NEW.sequence - 1)
    BEGIN SELECT RAISE(ABORT, 'audit events have no gaps'); END;
)"},
            {"append only until removed", R"(
DROP TRIGGER events_are_never_removed;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    WHEN NOT EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key)
    BEGIN SELECT RAISE(ABORT, 'audit events are never removed'); END;
)"},
        }};
    return dialect;
}

const Dialect& postgres_dialect() {
    static const Dialect dialect{"PostgreSQL",
                                 true,
                                 true,
                                 {
                                     {"key", "BIGINT PRIMARY KEY"},
                                     {"ascending key", "BIGINT PRIMARY KEY"},
                                     // Transactions commit in any order, so positions follow their ids: a million of them for each, counted
                                     // from where this one has come. Below the oldest that is not over nothing can be added any more.
                                     {"feed position", R"((SELECT COALESCE(max(f.position) + 1, m.first) FROM
    (SELECT (b.base + CAST(CAST(pg_current_xact_id() AS text) AS bigint)) * 1048576 AS first FROM feed_base b) m
    LEFT JOIN feed f ON f.position >= m.first AND f.position < m.first + 1048576 GROUP BY m.first))"},
                                     {"settled", R"(f.position <
    (SELECT (b.base + CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)) * 1048576 FROM feed_base b))"},
                                     {"bytes", "BYTEA"},
                                     {"bytewise", "COLLATE \"C\""},  // names sort the same everywhere
                                     {"clustered", ""},
                                     // Room on every page for the next version of its rows: an update that changes no indexed column
                                     // then stays on the page and touches no index.
                                     {"roomy", "WITH (fillfactor = 50)"},
                                     {"some room", "WITH (fillfactor = 80)"},  // a run changes once, when it ends
                                     {"wide clustered", ""},
                                     {"tables", "pg_tables"},
                                     {"table name", "schemaname = current_schema() AND tablename"},
                                     {"lock ledger", "LOCK TABLE schema_migrations IN EXCLUSIVE MODE;"},
                                     {"target type", "d.body::json #>> '{target,type}'"},
                                     {"target kind", "COALESCE(d.body::json #>> '{target,taskKind}', d.body::json #>> '{target,workflowKind}')"},
                                     {"target version", "CAST(d.body::json #>> '{target,version}' AS bigint)"},
                                     {"for share", "FOR SHARE OF s"},
                                     {"for update", "FOR UPDATE OF s"},
                                     {"skip locked", "FOR UPDATE OF s SKIP LOCKED"},
                                     // By their places: a join might begin with the whole table (see {any} in statement.hpp).
                                     {"is a task of", "ctid = ANY (ARRAY(SELECT s.ctid"},
                                     {"end of those", "))"},
                                     {"append only", R"(
CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'audit events are never changed or removed'; END $$;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_to_change_events();
-- Once for a whole statement, and always by the primary key: a plan that is remembered from a small table must not scan a large one.
CREATE FUNCTION refuse_gaps_in_events() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS
$$ BEGIN
    IF EXISTS (SELECT 1 FROM added a WHERE a.sequence > 1 AND NOT EXISTS
               (SELECT 1 FROM events e WHERE e.schedule_key = a.schedule_key AND e.sequence = a.sequence - 1)) THEN
        RAISE EXCEPTION 'audit events have no gaps' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER events_have_no_gaps AFTER INSERT ON events REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_gaps_in_events();
)"},
                                     {"append only until removed", R"(
CREATE OR REPLACE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS
$$ BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'audit events are never changed or removed';
END $$;
)"},
                                 }};
    return dialect;
}

}  // namespace belfry::store::sql
