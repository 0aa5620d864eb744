// The nouns of the command line that call a server. Small ones share a file.
#pragma once

#include "app/client/verb.hpp"

namespace belfry::app {

[[nodiscard]] const Noun& schedule_noun();
[[nodiscard]] const Noun& run_noun();
[[nodiscard]] const Noun& backfill_noun();
[[nodiscard]] const Noun& calendar_noun();
[[nodiscard]] const Noun& workflow_noun();
[[nodiscard]] const Noun& task_noun();
[[nodiscard]] const Noun& approval_noun();
[[nodiscard]] const Noun& webhook_noun();
[[nodiscard]] const Noun& assignee_noun();
[[nodiscard]] const Noun& tenant_noun();
[[nodiscard]] const Noun& event_noun();
[[nodiscard]] const Noun& import_noun();
// A noun without a name: its verbs are commands of the program.
[[nodiscard]] const Noun& doctor_noun();

}  // namespace belfry::app
