// UUIDs of RFC 9562. Pure, except that the generator remembers its last one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/concurrency/mutex.hpp"
#include "base/time/instant.hpp"

namespace belfry {

struct Uuid {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    [[nodiscard]] int version() const { return static_cast<int>(high >> 12U & 0xFU); }
    friend bool operator==(const Uuid&, const Uuid&) = default;
};

// `018f3c1e-…`, lower case.
[[nodiscard]] std::string format_uuid(const Uuid& uuid);
// Accepts either case; empty if the text is not a UUID.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);

// Sets the version and the variant (10).
[[nodiscard]] Uuid stamp_uuid(Uuid bits, unsigned version);

// Makes version 7: milliseconds, then random bits. UUIDs of one generator are distinct and ordered, even within one
// millisecond. Thread-safe.
class UuidMaker {
public:
    using Random = std::function<std::uint64_t()>;
    explicit UuidMaker(Random random) : random_(std::move(random)) {}
    [[nodiscard]] std::string make(Instant now);

private:
    Mutex mutex_;
    Random random_ BELFRY_GUARDED_BY(mutex_);
    std::uint64_t last_ BELFRY_GUARDED_BY(mutex_) = 0;  // milliseconds and the 20 bits after them
};

// Bits from a secure generator, fit for ids and tokens.
[[nodiscard]] std::uint64_t system_random();

}  // namespace belfry
