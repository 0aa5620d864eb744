// Statements for retention. Each removes the oldest rows first, along its own index.
#pragma once

#include <optional>
#include <string>

#include "store/sql/row.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

struct PrunableSchedule {
    std::int64_t key = 0;
    std::optional<std::int64_t> oldest;  // slot of the oldest run that may be removed
    std::optional<std::int64_t> beyond;  // slot of the newest run beyond those to keep
    std::int64_t version = 0;
    std::optional<std::int64_t> oldest_version;
};
// How many runs use a version of their definition.
struct VersionUse {
    std::int64_t version = 0;
    std::int64_t runs = 0;
};
struct EndOfSchedule {
    std::int64_t key = 0;
    std::optional<Instant> ended;
    std::int64_t tenant = 0;
    model::ScheduleStatus status = {};
};
struct PrunableWorkflow {
    std::int64_t key = 0;
    std::int64_t tenant = 0;
    std::string name;
    std::int64_t newest = 0;
    std::optional<std::int64_t> oldest;
};

extern const Query<PrunableSchedule> kPrunable;
extern const Query<PrunableSchedule> kPrunableBeyond;
extern const Query<std::int64_t> kNthNewestSlot;
extern const Query<std::int64_t> kDeleteRuns;
extern const Statement kAnyRun;
extern const Statement kRunOfVersion;
extern const Query<VersionUse> kVersionsOfRuns;
extern const Query<std::int64_t> kOldVersions;
extern const Statement kDeleteVersions;
extern const Query<EndedPlace> kEndedSchedules;
extern const Query<EndOfSchedule> kEndedByKey;
extern const Statement kArchiveSchedule;
extern const Query<std::int64_t> kArchived;
extern const Query<std::int64_t> kOldArchives;
extern const Statement kDeleteArchive;
extern const Statement kForgetEvents;
extern const Statement kForgetDefinitions;
extern const Statement kForgetBackfills;
extern const Statement kForgetRequests;
extern const Statement kForgetState;
extern const Statement kForgetSchedule;
extern const Statement kPruneLetters;
// The pages of the store's file.
struct FilePages {
    std::int64_t all = 0;
    std::int64_t unused = 0;
    // Some unused pages are kept: the next rows need them.
    [[nodiscard]] bool is_wasteful() const { return unused > all / 8; }
};
extern const Query<FilePages> kFilePages;
extern const Statement kShrinkFile;
extern const Statement kPruneBackfills;
extern const Statement kPruneTenantDays;
extern const Query<PrunableWorkflow> kPrunableWorkflows;
extern const Statement kPruneWorkflowVersions;

}  // namespace belfry::store::sql
