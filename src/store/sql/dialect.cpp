#include "store/sql/statement.hpp"

namespace belfry::store::sql {

namespace {

// Feed positions come from a sequence, which a database dump includes. sql_feed.cpp explains how they are used.
//
//   hold_feed       called before a transaction takes positions. Until it ends, an advisory lock shows the position
//                   after which it takes them
//   feed_end        all positions up to this one are committed or never will be. Reads the sequence before the locks:
//                   a transaction without a lock yet takes a later position, and one that released its lock has ended
//   note_decider    called before a decision checks whether its tenant is followed. Until the transaction ends, a lock
//                   shows that it is deciding
//   await_deciders  returns when all transactions have ended that were deciding
//   heal_feed       if the sequence was lost but the data was not: moves it beyond all existing positions
//
// The keys of the locks include the sequence's OID, so that two schemas in one database do not interfere. A lock has
// room for half of a position; the other half is taken from the newest position.
constexpr std::string_view kFeedPositions = R"(
CREATE SEQUENCE feed_positions;
CREATE FUNCTION feed_lock() RETURNS integer LANGUAGE sql STABLE AS
$$ SELECT CAST(CAST('feed_positions'::regclass::oid AS bigint) % 2147483648 AS integer) $$;
CREATE VIEW feed_locks AS SELECT objsubid, CAST(objid AS bigint) AS number, virtualtransaction FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((objsubid = 2 AND CAST(classid AS bigint) = feed_lock()) OR (objsubid = 1 AND classid = 0 AND CAST(objid AS bigint) = feed_lock()));
CREATE FUNCTION hold_feed() RETURNS integer LANGUAGE plpgsql AS
$$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(feed_lock(), CAST((last_value & 4294967295) - 2147483648 AS integer)) FROM feed_positions;
    RETURN 0;
END $$;
CREATE FUNCTION feed_end() RETURNS bigint LANGUAGE plpgsql AS
$$ DECLARE
    given bigint;
    held bigint;
BEGIN
    SELECT last_value INTO given FROM feed_positions;
    SELECT max(l.behind) INTO held FROM
        (SELECT (given - number - 2147483648) & 4294967295 AS behind FROM feed_locks WHERE objsubid = 2) l WHERE l.behind < 2147483648;
    RETURN given - COALESCE(held, 0);
END $$;
CREATE FUNCTION note_decider() RETURNS integer LANGUAGE plpgsql AS
$$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(CAST(feed_lock() AS bigint));
    RETURN 0;
END $$;
CREATE FUNCTION await_deciders() RETURNS integer LANGUAGE plpgsql AS
$$ DECLARE
    deciders text[];
BEGIN
    SELECT array_agg(virtualtransaction) INTO deciders FROM feed_locks WHERE objsubid = 1;
    WHILE EXISTS (SELECT 1 FROM feed_locks WHERE objsubid = 1 AND virtualtransaction = ANY (deciders)) LOOP
        PERFORM pg_sleep(0.001);
    END LOOP;
    RETURN 0;
END $$;
CREATE FUNCTION heal_feed() RETURNS integer LANGUAGE plpgsql AS
$$ DECLARE
    newest bigint;
BEGIN
    SELECT GREATEST((SELECT max(position) FROM feed), (SELECT max(taken_position) FROM webhooks), 1) INTO newest;
    IF newest > (SELECT last_value FROM feed_positions) THEN
        -- One after the other: a second one would take back what was given since.
        PERFORM pg_advisory_xact_lock(-1 - CAST(feed_lock() AS bigint));
        PERFORM setval('feed_positions', newest) FROM feed_positions WHERE last_value < newest;
    END IF;
    RETURN 0;
END $$;
SELECT setval('feed_positions', GREATEST((SELECT max(position) FROM feed), (SELECT max(taken_position) FROM webhooks), 1));
)";

}  // namespace

// The words that the two databases spell differently, side by side. Using a word without an entry here is a bug.
const Dialect& sqlite_dialect() {
    static const Dialect dialect{
        "SQLite",
        false,
        false,
        {
            {"key", "INTEGER PRIMARY KEY"},
            {"ascending key", "INTEGER PRIMARY KEY AUTOINCREMENT"},
            // Writers run one at a time: the next number is the next position, everything visible is settled, and no
            // decision is in progress while another one commits.
            {"feed position", "NULL"},
            {"feed end", "(SELECT COALESCE(max(position), 0) FROM feed)"},
            {"hold feed", "0"},
            {"note decider", "0"},
            {"await deciders", "0"},
            {"heal feed", "0"},
            {"feed positions", ""},
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
            {"target kind",
             "COALESCE(json_extract(d.body, '$.target.taskKind'), json_extract(d.body, '$.target.workflowKind'))"},
            {"target version", "json_extract(d.body, '$.target.version')"},
            {"condition", "json_extract(d.body, '$.preDispatchCondition')"},
            {"assignee", "json_extract(d.body, '$.assignee.id')"},
            {"assignee type", "json_extract(d.body, '$.assignee.type')"},
            {"for share", ""},
            {"for update", ""},
            {"skip locked", ""},
            {"octets", "length(CAST("},
            {"end octets", " AS BLOB))"},
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
            // With ABORT, SQLite copies every page before it changes it, to undo the rest of the statement. There is
            // no rest: the trigger runs before the row, and an INSERT OR FAIL keeps only rows that it let pass.
            {"or fail", " OR FAIL"},
            {"refuse gaps without undo", R"(
DROP TRIGGER events_have_no_gaps;
CREATE TRIGGER events_have_no_gaps BEFORE INSERT ON events
    WHEN NEW.sequence > 1 AND NOT EXISTS (SELECT 1 FROM events WHERE schedule_key = NEW.schedule_key AND sequence = NEW.sequence - 1)
    BEGIN SELECT RAISE(FAIL, 'audit events have no gaps'); END;
)"},
            {"append only until archived", R"(
DROP TRIGGER events_are_never_removed;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    WHEN NOT EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key)
    AND NOT EXISTS (SELECT 1 FROM event_checkpoints WHERE schedule_key = OLD.schedule_key AND sequence >= OLD.sequence)
    BEGIN SELECT RAISE(ABORT, 'audit events are never removed'); END;
CREATE TRIGGER checkpoints_are_followed BEFORE INSERT ON event_checkpoints
    WHEN NOT EXISTS (SELECT 1 FROM events WHERE schedule_key = NEW.schedule_key AND sequence = NEW.sequence AND hash = NEW.hash)
    OR EXISTS (SELECT 1 FROM schedule_state WHERE schedule_key = NEW.schedule_key AND events <= NEW.sequence)
    BEGIN SELECT RAISE(ABORT, 'a checkpoint is an event of the chain, and another one follows it'); END;
CREATE TRIGGER checkpoints_only_advance BEFORE UPDATE ON event_checkpoints
    WHEN NEW.schedule_key <> OLD.schedule_key OR NEW.sequence <= OLD.sequence
    OR NOT EXISTS (SELECT 1 FROM events WHERE schedule_key = NEW.schedule_key AND sequence = NEW.sequence AND hash = NEW.hash)
    OR EXISTS (SELECT 1 FROM schedule_state WHERE schedule_key = NEW.schedule_key AND events <= NEW.sequence)
    BEGIN SELECT RAISE(ABORT, 'a checkpoint only advances along its chain'); END;
CREATE TRIGGER checkpoints_stay BEFORE DELETE ON event_checkpoints
    WHEN NOT EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key)
    BEGIN SELECT RAISE(ABORT, 'a checkpoint stays while its schedule exists'); END;
)"},
        }};
    return dialect;
}

const Dialect& postgres_dialect() {
    static const Dialect dialect{
        "PostgreSQL",
        true,
        true,
        {
            {"key", "BIGINT PRIMARY KEY"},
            {"ascending key", "BIGINT PRIMARY KEY"},
            // Transactions commit in any order: see sql_feed.cpp.
            {"feed position", "nextval('feed_positions')"},
            {"feed end", "feed_end()"},
            {"hold feed", "hold_feed()"},
            {"note decider", "note_decider()"},
            {"await deciders", "await_deciders()"},
            {"heal feed", "heal_feed()"},
            {"feed positions", kFeedPositions},
            {"bytes", "BYTEA"},
            {"bytewise", "COLLATE \"C\""},  // names sort the same everywhere
            {"clustered", ""},
            // Leaves room on every page for the next version of its rows: an update that
            // changes no indexed column then stays on the page and changes no index.
            {"roomy", "WITH (fillfactor = 50)"},
            {"some room", "WITH (fillfactor = 80)"},  // a run changes once, when it ends
            {"wide clustered", ""},
            {"tables", "pg_tables"},
            {"table name", "schemaname = current_schema() AND tablename"},
            {"lock ledger", "LOCK TABLE schema_migrations IN EXCLUSIVE MODE;"},
            {"target type", "d.body::json #>> '{target,type}'"},
            {"target kind", "COALESCE(d.body::json #>> '{target,taskKind}', d.body::json #>> '{target,workflowKind}')"},
            {"target version", "CAST(d.body::json #>> '{target,version}' AS bigint)"},
            {"condition", "(d.body::json #>> '{preDispatchCondition}')"},
            {"assignee", "(d.body::json #>> '{assignee,id}')"},
            {"assignee type", "(d.body::json #>> '{assignee,type}')"},
            {"for share", "FOR SHARE OF s"},
            {"for update", "FOR UPDATE OF s"},
            {"skip locked", "FOR UPDATE OF s SKIP LOCKED"},
            {"octets", "octet_length("},
            {"end octets", ")"},
            // By physical row: a join might start with the whole table (see {any} in
            // statement.hpp).
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
            {"or fail", ""},
            {"refuse gaps without undo", ""},
            {"append only until removed", R"(
CREATE OR REPLACE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS
$$ BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'audit events are never changed or removed';
END $$;
)"},
            {"append only until archived", R"(
CREATE OR REPLACE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS
$$ BEGIN
    IF TG_OP = 'DELETE' AND (EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key)
        OR EXISTS (SELECT 1 FROM event_checkpoints WHERE schedule_key = OLD.schedule_key AND sequence >= OLD.sequence)) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'audit events are never changed or removed';
END $$;
CREATE OR REPLACE FUNCTION check_checkpoint() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS
$$ BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM removed_schedules WHERE schedule_key = OLD.schedule_key) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'a checkpoint stays while its schedule exists';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.schedule_key <> OLD.schedule_key OR NEW.sequence <= OLD.sequence THEN
            RAISE EXCEPTION 'a checkpoint only advances along its chain';
        END IF;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM events WHERE schedule_key = NEW.schedule_key AND sequence = NEW.sequence AND hash = NEW.hash)
        OR EXISTS (SELECT 1 FROM schedule_state WHERE schedule_key = NEW.schedule_key AND events <= NEW.sequence) THEN
        RAISE EXCEPTION 'a checkpoint is an event of the chain, and another one follows it';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checkpoints_are_followed BEFORE INSERT OR UPDATE OR DELETE ON event_checkpoints
    FOR EACH ROW EXECUTE FUNCTION check_checkpoint();
)"},
        }};
    return dialect;
}

}  // namespace belfry::store::sql
