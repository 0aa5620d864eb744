// Identities. The API uses text ids. The store uses numeric keys that are computed from the text, so a key needs no
// lookup and a row is found directly by its id or name. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/run/run.hpp"

namespace belfry::model {

// A 63-bit key for an id or a name. For a version 7 UUID: its time and its first random bits, so that schedules that
// were created one after another are neighbours on disk. For any other text: a part of its SHA-256. Two ids can have
// the same key, so a caller must compare the full id of every row that a key finds.
[[nodiscard]] std::int64_t key_of(std::string_view id);
// 63 bits of the SHA-256 of a tenant's name, whatever the name looks like. Version 7 UUIDs from one program differ
// only in their last digits, so key_of would give tenants with such names the same key.
[[nodiscard]] std::int64_t tenant_key(std::string_view name);

// A slot as one number that sorts by place: milliseconds since 1970, times 4, plus the cause.
[[nodiscard]] std::int64_t slot_number(const RunSlot& slot);
[[nodiscard]] RunSlot slot_from_number(std::int64_t number);

// A run's id is computed from its identity, so deciding an occurrence twice gives the same run. It is a version 8
// UUID that contains the schedule's key and the slot: the store finds the row without an index on ids.
[[nodiscard]] std::string run_id(std::string_view schedule_id, const RunSlot& slot);
[[nodiscard]] std::string run_id(std::int64_t schedule_key, std::int64_t slot_number);

struct RunKey {
    std::int64_t schedule = 0;
    std::int64_t slot = 0;
    friend bool operator==(const RunKey&, const RunKey&) = default;
    friend auto operator<=>(const RunKey&, const RunKey&) = default;
};
// Empty if the text is not a run id.
[[nodiscard]] std::optional<RunKey> parse_run_id(std::string_view id);

}  // namespace belfry::model
