#include "spec/jitter.hpp"

#include "base/crypto/stable_hash.hpp"

namespace belfry::spec {

namespace {

using std::chrono::milliseconds;

// A whole number in [0, count), almost uniform: the high half of a 128-bit product.
std::int64_t pick(std::uint64_t hash, std::int64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>((Wide{hash} * static_cast<std::uint64_t>(count)) >> 64);
}

// The share of `part` in `gap`, if `part` and `other` together are longer than the gap.
Micros share(Micros part, Micros other, Micros gap) {
    if (part + other <= gap) return part;
    const auto ratio = static_cast<long double>(part.count()) / static_cast<long double>((part + other).count());
    return Micros{static_cast<std::int64_t>(static_cast<long double>(gap.count()) * ratio)};
}

}  // namespace

Micros jitter_offset(const Jitter& jitter, std::string_view schedule_id, Instant occurrence,
                     std::optional<Instant> previous, std::optional<Instant> next) {
    if (jitter == Jitter{}) return Micros{0};
    const auto before = previous ? share(jitter.before, jitter.after, occurrence - *previous) : jitter.before;
    const auto after = next ? share(jitter.after, jitter.before, *next - occurrence) : jitter.after;
    const auto least = -std::chrono::floor<milliseconds>(before);
    const auto most = std::chrono::floor<milliseconds>(after);
    const auto hash = stable_hash(schedule_id, std::chrono::floor<Seconds>(occurrence).time_since_epoch().count());
    return least + milliseconds{pick(hash, (most - least).count() + 1)};
}

}  // namespace belfry::spec
