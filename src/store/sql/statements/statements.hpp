// Every statement of the store, once for both databases. Parameters are bound in the order of their first appearance.
#pragma once

#include "store/sql/statement.hpp"

namespace belfry::store::sql {

// -- Deciding. The columns of a locked state are those of read_state in rows.hpp.
extern const Statement kLockStates;      // by key, skipping locked rows
extern const Statement kLockStatesWait;  // by key, waiting for locks
extern const Statement kLockForPlans;    // by key, waiting; only the columns that a finished plan needs
extern const Statement kLockDueStates;   // every due schedule
extern const Statement kFindByName;
extern const Statement kFindById;
extern const Statement kStateExists;
extern const Statement kDefinitions;
extern const Statement kDefinitionVersions;
extern const Statement kKnownOfSchedules;
extern const Statement kCalendarsOf;  // calendars that schedules use, to compile them

// -- Facts.
extern const Statement kTakenSlots;
extern const Statement kBufferedRuns;
extern const Statement kInFlightRuns;
extern const Statement kContextOfTarget;
extern const Statement kInsertEnd;
extern const Statement kDeleteWatch;
extern const Statement kInsertWatch;
extern const Statement kFillEnds;
extern const Statement kFillLastEnds;
extern const Statement kPruneEnds;
extern const Statement kDeleteSubscriptions;
extern const Statement kInsertSubscription;
extern const Statement kSubscribers;
extern const Statement kInsertTeamRun;
extern const Statement kForgetTeamRuns;
extern const Statement kRunsOfTeam;
extern const Statement kTenantFacts;
extern const Statement kTenantDay;
extern const Statement kAddTenantDay;
extern const Statement kTenantDays;
extern const Statement kTenantUsage;
extern const Statement kTenantsOverBytes;
extern const Statement kMeasureDefinitions;
extern const Statement kMeasureRuns;
extern const Statement kMeasureEvents;
extern const Statement kMeasureNodes;
extern const Statement kMeasureRunEvents;
extern const Statement kMeasureWorkflows;
extern const Statement kMeasureCalendars;
extern const Statement kPutMeasured;
extern const Statement kClearMeasured;

// -- Applying a plan.
extern const Statement kUpdateState;
extern const Statement kInsertRun;
extern const Statement kReleaseRun;
extern const Statement kStartRun;
extern const Statement kEndRun;
extern const Statement kRetryRun;
extern const Statement kInsertEvent;
extern const Statement kInsertReady;
extern const Statement kInsertDelayed;
extern const Statement kInsertSchedule;
extern const Statement kInsertState;
extern const Statement kUpdateSchedule;
extern const Statement kInsertDefinition;
extern const Statement kDeleteLabels;
extern const Statement kInsertLabel;
extern const Statement kDeleteCalendarUses;
extern const Statement kInsertCalendarUse;
extern const Statement kStamp;
extern const Statement kStampUsers;
extern const Statement kAddSchedules;
extern const Statement kSubtractSchedules;
extern const Statement kInsertRequest;

// -- Checks after a commit with unknown outcome.
extern const Statement kEventHash;
extern const Statement kRunEnd;

// -- Tasks.
extern const Statement kWaitingLines;
extern const Statement kReadyQueues;
extern const Statement kDueQueues;
extern const Statement kPickDelayed;
extern const Statement kDeleteDelayed;
extern const Statement kPickReady;
extern const Statement kTaskBytes;
extern const Statement kNodeBytes;
extern const Statement kLockReady;  // after a commit whose outcome is unknown
extern const Statement kLockDelayed;
extern const Statement kInsertLease;
extern const Statement kHeartbeat;
extern const Statement kExpiredLeases;
extern const Statement kLockLeases;
extern const Statement kLockLeasesNamed;
extern const Statement kPassOn;
extern const Statement kRedate;
extern const Statement kDeleteLease;
extern const Statement kDeleteLeasesOfRun;

// -- Assignees, budgets, usage.
extern const Statement kAssigneesById;
extern const Statement kAssigneesOfTenant;
extern const Statement kInsertAssignee;
extern const Statement kUpdateAssignee;
extern const Statement kDeleteAssignee;
extern const Statement kAddToBudget;
extern const Statement kBudgetDay;
extern const Statement kOldBudgetDays;
extern const Statement kDeleteBudgetDays;
extern const Statement kReservations;
extern const Statement kInsertReservation;
extern const Statement kDeleteReservation;
extern const Statement kPutUsage;
extern const Statement kUsageOfRuns;
extern const Statement kForgetUsage;

// -- Workflow assignments.
extern const Statement kAssignment;
extern const Statement kLockAssignment;
extern const Statement kShareAssignments;  // for schedules that newly use them
extern const Statement kAssignmentsOfTenant;
extern const Statement kAssignmentsOf;  // assignments that schedules use, to compile them
extern const Statement kInsertAssignment;
extern const Statement kUpdateAssignment;
extern const Statement kDeleteAssignment;
extern const Statement kAssignmentUser;
extern const Statement kStampAssigned;

// -- Workflows, workflow runs, dead letters.
extern const Statement kWorkflowHeads;
extern const Statement kLockWorkflow;
extern const Statement kInsertWorkflow;
extern const Statement kUpdateWorkflow;
extern const Statement kInsertWorkflowVersion;
extern const Statement kWorkflowVersions;
extern const Statement kWorkflowNames;
extern const Statement kInsertWorkflowRun;
extern const Statement kEndWorkflowRun;
extern const Statement kCountRunEvents;
extern const Statement kWorkflowRunsByKey;
extern const Statement kLockWorkflowRuns;
extern const Statement kOverdueWorkflowRuns;
extern const Statement kBeginRun;
extern const Statement kPutNode;
extern const Statement kNodesOfRuns;
extern const Statement kNodeOfRun;
extern const Statement kInsertRunEvent;
extern const Statement kRunEvents;
extern const Statement kInsertDeadLetter;
extern const Statement kDeleteDeadLetter;
extern const Statement kDeadLetters;
extern const Statement kLockDeadLetter;  // after a commit with unknown outcome
extern const Statement kForgetWorkflowRuns;
extern const Statement kForgetNodes;
extern const Statement kForgetRunEvents;

// -- Approvals.
extern const Statement kInsertApproval;
extern const Statement kDecideApproval;
extern const Statement kVoidApprovals;
extern const Statement kUnapproved;
extern const Statement kApprovalsOfRuns;
extern const Statement kApprovalsByStatus;
extern const Statement kOverdueApprovals;
extern const Statement kApprovalCounts;
extern const Statement kForgetApprovals;

// -- Reading.
extern const Statement kScheduleByName;
extern const Statement kScheduleById;
extern const Statement kRunsByKey;
extern const Statement kRunsOfSchedule;
extern const Statement kRunsOfScheduleStanding;
extern const Statement kRunsOfScheduleSucceeded;
extern const Statement kRunsOfTenant;
extern const Statement kRunsOfTenantStanding;
extern const Statement kRunsOfTenantSucceeded;
extern const Statement kRunsRunning;
extern const Statement kRunsQueued;
extern const Statement kSchedulesByKey;
extern const Statement kNames;  // schedules by name, for lists
extern const Statement kNamesBackward;
extern const Statement kNamesByStatus;
extern const Statement kNamesByStatusBackward;
extern const Statement kNamesByTarget;
extern const Statement kNamesByTargetBackward;
extern const Statement kNamesByLabel;
extern const Statement kNamesByLabelBackward;
extern const Statement kNewest;  // schedules by age
extern const Statement kScheduleCounts;
extern const Statement kQueueDepths;
extern const Statement kEvents;
extern const Statement kUpcoming;
extern const Statement kLook;

// -- Tenants, calendars, backfills.
extern const Statement kTenants;
extern const Statement kTenantsAfter;
extern const Statement kTenant;
extern const Statement kLockTenant;
extern const Statement kShareTenant;
extern const Statement kInsertTenant;
extern const Statement kUpdateTenant;
extern const Statement kCalendars;
extern const Statement kCalendar;
extern const Statement kInsertCalendar;
extern const Statement kUpdateCalendar;
extern const Statement kDeleteCalendar;
extern const Statement kCalendarUser;
extern const Statement kBackfill;
extern const Statement kLockBackfill;
extern const Statement kBackfillsOfSchedule;
extern const Statement kBackfillExists;
extern const Statement kBackfillNotOver;
extern const Statement kRunningBackfills;
extern const Statement kInsertBackfill;
extern const Statement kUpdateBackfill;
extern const Statement kRequest;
extern const Statement kOldRequests;
extern const Statement kDeleteRequests;

// -- Servers.
extern const Statement kLockLeadership;
extern const Statement kUpdateLeadership;
extern const Statement kRenewMembership;
extern const Statement kForgetServers;
extern const Statement kServersAt;
extern const Statement kDeleteServer;

// -- The registry: API keys, the feed, webhooks and their deliveries.
extern const Statement kKey;
extern const Statement kLockKey;
extern const Statement kKeys;
extern const Statement kKeyNamed;
extern const Statement kInsertKey;
extern const Statement kRevokeKey;
extern const Statement kPruneKeys;
extern const Statement kFollow;
extern const Statement kNoteDecider;
extern const Statement kAwaitDeciders;
extern const Statement kHoldFeed;
extern const Statement kInsertFeed;
extern const Statement kFeedEnd;
extern const Statement kHealFeed;
extern const Statement kFeed;
extern const Statement kFeedBounds;
extern const Statement kFeedGrown;
extern const Statement kFeedNews;
extern const Statement kPruneFeed;
extern const Statement kLockFeedItem;  // after a commit with unknown outcome
extern const Statement kWebhook;
extern const Statement kLockWebhook;
extern const Statement kWebhooks;
extern const Statement kWebhookPage;
extern const Statement kWebhooksWithWork;
extern const Statement kWebhookExists;
extern const Statement kInsertWebhook;
extern const Statement kUpdateWebhook;
extern const Statement kMoveWebhook;
extern const Statement kDeleteWebhook;
extern const Statement kCountWebhooks;
extern const Statement kInsertDelivery;
extern const Statement kDueDeliveries;
extern const Statement kPutDelivery;
extern const Statement kDeliveries;
extern const Statement kDeleteDeliveries;
extern const Statement kPruneDeliveries;
extern const Statement kGiveUpDeliveries;
extern const Statement kLockDelivery;  // after a commit with unknown outcome

// -- Retention.
extern const Statement kPrunable;
extern const Statement kPrunableBeyond;
extern const Statement kNthNewestSlot;
extern const Statement kDeleteRuns;
extern const Statement kAnyRun;
extern const Statement kRunOfVersion;
extern const Statement kVersionsOfRuns;
extern const Statement kOldVersions;
extern const Statement kDeleteVersions;
extern const Statement kEndedSchedules;
extern const Statement kEndedByKey;
extern const Statement kArchiveSchedule;
extern const Statement kArchived;
extern const Statement kOldArchives;
extern const Statement kDeleteArchive;
extern const Statement kForgetEvents;
extern const Statement kForgetDefinitions;
extern const Statement kForgetBackfills;
extern const Statement kForgetRequests;
extern const Statement kForgetState;
extern const Statement kForgetSchedule;
extern const Statement kPruneLetters;
extern const Statement kPruneBackfills;
extern const Statement kPruneTenantDays;
extern const Statement kPrunableWorkflows;
extern const Statement kPruneWorkflowVersions;

}  // namespace belfry::store::sql
