#include "model/identity.hpp"

#include <algorithm>

#include "base/crypto/sha256.hpp"
#include "base/crypto/stable_hash.hpp"
#include "base/crypto/uuid.hpp"

namespace belfry::model {

namespace {

constexpr std::uint64_t mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

constexpr unsigned kTimeBits = 43;  // milliseconds up to the year 2248
constexpr unsigned kSlotBits = 51;  // the sign and every instant that RFC 3339 can express
constexpr unsigned kCheckBits = 8;  // the rest of the 122 bits: rejects most ids with a wrong digit
static_assert(63 + kSlotBits + kCheckBits == 122);

std::int64_t hashed_key(std::string_view text) {
    std::uint64_t first = 0;  // of its bytes, as many as fit
    for (const char c : sha256_bytes(text).substr(0, sizeof first)) first = first << 8U | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(first & mask(63));
}

std::uint64_t check_of(const RunKey& key) {
    return stable_hash("run", key.schedule ^ (key.slot * 131)) & mask(kCheckBits);
}

// Layout of the 122 free bits, from the left: key, slot, check.
Uuid uuid_of(const RunKey& run) {
    const auto key = static_cast<std::uint64_t>(run.schedule);
    const auto rest =
        (static_cast<std::uint64_t>(run.slot) & mask(kSlotBits)) << kCheckBits | check_of(run);  // 59 bits
    return stamp_uuid({(key >> 15U) << 16U | (key >> 3U & mask(12)), (key & 7U) << 59U | rest}, 8);
}

}  // namespace

std::int64_t key_of(std::string_view id) {
    if (const auto uuid = parse_uuid(id); uuid && uuid->version() == 7) {
        const auto time = uuid->high >> 16U & mask(kTimeBits);
        const auto random = (uuid->high & mask(12)) << 8U | (uuid->low >> 54U & mask(8));
        return static_cast<std::int64_t>(time << 20U | random);
    }
    return hashed_key(id);
}

std::int64_t tenant_key(std::string_view name) { return hashed_key(name); }

std::int64_t slot_number(const RunSlot& slot) {
    return epoch_ms(slot.place()) * 4 + static_cast<std::int64_t>(slot.cause);
}

RunSlot slot_from_number(std::int64_t number) {
    const auto cause = static_cast<RunCause>(number & 3);
    const Instant place{std::chrono::milliseconds{number >> 2}};  // the shift rounds down
    if (cause != RunCause::backfill) return {cause, place};
    const Instant occurrence = std::chrono::floor<Seconds>(place);
    return {cause, occurrence, static_cast<int>((place - occurrence) / std::chrono::milliseconds{1})};
}

std::string run_id(std::string_view schedule_id, const RunSlot& slot) {
    return run_id(key_of(schedule_id), slot_number(slot));
}

std::string run_id(std::int64_t schedule_key, std::int64_t slot) { return format_uuid(uuid_of({schedule_key, slot})); }

std::optional<RunKey> parse_run_id(std::string_view id) {
    const auto uuid = parse_uuid(id);
    if (!uuid) return std::nullopt;
    const auto key = (uuid->high >> 16U) << 15U | (uuid->high & mask(12)) << 3U | (uuid->low >> 59U & 7U);
    const auto slot =
        static_cast<std::int64_t>(uuid->low >> kCheckBits << (64 - kSlotBits)) >> (64 - kSlotBits);  // keeps the sign
    const RunKey found{static_cast<std::int64_t>(key), slot};
    // Only the canonical text is a run id. A wrong version, variant, letter case or check is not.
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'F'; };
    if (!(uuid_of(found) == *uuid) || std::ranges::any_of(id, is_upper)) return std::nullopt;
    return found;
}

}  // namespace belfry::model
