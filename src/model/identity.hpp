// How things are told apart. Ids are text outside; inside the store they are numbers that follow from the text, so that
// nobody has to be asked for one and a row is found by its name. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/run.hpp"

namespace belfry::model {

// 63 bits from an id or a name. Of a UUID of version 7, its time and its first random bits: schedules that were made one
// after the other lie next to each other on disk. Of any other text, a part of its SHA-256.
// Two ids may have the same key: what a key finds is believed after the id has been compared, letter by letter.
[[nodiscard]] std::int64_t key_of(std::string_view id);
// 63 bits of the SHA-256 of a tenant's name, whatever the name looks like: tenants whose names are UUIDs of version 7 from one
// program differ in their last digits only.
[[nodiscard]] std::int64_t tenant_key(std::string_view name);

// A slot as one number, ordered by its place: milliseconds since 1970, times 4, plus the cause.
[[nodiscard]] std::int64_t slot_number(const RunSlot& slot);
[[nodiscard]] RunSlot slot_from_number(std::int64_t number);

// A run's id follows from its identity, so that deciding twice names the same run. A UUID of version 8 that holds the
// schedule's key and the slot: whoever has the id finds the row without an index on ids.
[[nodiscard]] std::string run_id(std::string_view schedule_id, const RunSlot& slot);
[[nodiscard]] std::string run_id(std::int64_t schedule_key, std::int64_t slot_number);

struct RunKey {
    std::int64_t schedule = 0;
    std::int64_t slot = 0;
    friend bool operator==(const RunKey&, const RunKey&) = default;
    friend auto operator<=>(const RunKey&, const RunKey&) = default;
};
// Nothing when the text is no run id: it names no run.
[[nodiscard]] std::optional<RunKey> parse_run_id(std::string_view id);

}  // namespace belfry::model
