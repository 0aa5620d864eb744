// Verification of audit chains, and the lines of archived events. Pure. docs/reference/audit.md has the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/run/audit.hpp"

namespace belfry::model {

// The event with this sequence has this hash. The default is the place before the first event.
struct ChainPoint {
    std::int64_t sequence = 0;
    ChainHash hash = {};
    friend bool operator==(const ChainPoint&, const ChainPoint&) = default;
};

// From 64 hexadecimal digits; empty from an empty text.
[[nodiscard]] Result<ChainHash> parse_chain_hash(std::string_view text);

// An event exactly as stored. Its type may be unknown, because nothing has checked it yet.
struct ChainedEvent {
    std::int64_t sequence = 0;
    EventType type = EventType::schedule_created;
    Instant recorded_at = {};
    std::string payload = {};  // JSON text
    ChainHash hash = {};
    friend bool operator==(const ChainedEvent&, const ChainedEvent&) = default;
};

// The first place at which a chain is not what it should be.
struct ChainBreak {
    std::int64_t sequence = 0;
    std::string problem = {};  // an English sentence
    ChainHash expected = {};   // empty: the place has no hash
    ChainHash found = {};
    friend bool operator==(const ChainBreak&, const ChainBreak&) = default;
};

// Verifies that the event continues the chain after `point`, and moves the point to it. On a break the point stays.
[[nodiscard]] std::optional<ChainBreak> follow(ChainPoint& point, std::string_view schedule_id,
                                               const ChainedEvent& event);
// Verifies that the chain, of which everything up to `point` was verified, ends where it should.
[[nodiscard]] std::optional<ChainBreak> check_end(const ChainPoint& point, const ChainPoint& end);

// One line of an archive.
struct ArchivedEvent {
    std::string tenant;
    std::string schedule_id;
    ChainHash previous;
    ChainedEvent event;
    friend bool operator==(const ArchivedEvent&, const ArchivedEvent&) = default;
};
[[nodiscard]] std::string archive_line(const ArchivedEvent& archived);  // without the line break
[[nodiscard]] Result<ArchivedEvent> parse_archive_line(std::string_view line);

}  // namespace belfry::model
