// Audit chains as stored, and their checkpoints.
#pragma once

#include "model/run/audit_chain.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

// A chain and its ends.
struct ChainRow {
    std::string schedule_id;
    std::optional<model::ChainPoint> end = {};
    model::ChainPoint archived = {};
};
// A chain in a sweep.
struct ArchivableRow {
    std::int64_t key = 0;
    std::string schedule_id = {};
    std::string tenant = {};
    std::int64_t below = 0;  // events with smaller numbers may be archived
    model::ChainPoint archived = {};
    std::optional<Instant> oldest = {};  // of these events; empty: there are none
};

extern const Query<ChainRow> kChain;
extern const Query<model::ChainedEvent> kChainedEvents;
extern const Query<std::string> kAuditedSchedules;
extern const Query<ArchivableRow> kArchivable;
extern const Statement kPutCheckpoint;
extern const Statement kRemoveArchived;
extern const Statement kPutCheckpointBeyond;
extern const Statement kDeleteCheckpoint;
extern const Query<std::int64_t> kCheckpointSequence;

}  // namespace belfry::store::sql
