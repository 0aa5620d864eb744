#include "engine/audit/audit_verifier.hpp"

#include <algorithm>

#include "base/crypto/sha256.hpp"
#include "base/crypto/uuid.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::engine {

namespace {

constexpr std::size_t kIdsAtOnce = 100;

class Verification {
public:
    Verification(store::StoreReader& reader, const AuditRequest& request)
        : reader_(reader), request_(request), left_(std::clamp<std::int64_t>(request.events, 1, kAuditEventsMax)) {}

    Result<AuditAnswer> run() {
        if (auto failed = request_.schedule ? verify_one(*request_.schedule, request_.from.verified) : verify_all())
            return *failed;
        return std::move(answer_);
    }

private:
    [[nodiscard]] bool stopped() const { return answer_.next || answer_.broken; }

    std::optional<Error> verify_all() {
        auto after = request_.from.schedule_id;
        if (!after.empty() && !request_.from.finished) {
            if (auto failed = verify_one({request_.tenant, after}, request_.from.verified)) return failed;
        }
        while (!stopped()) {
            const auto ids = reader_.audited_schedules(request_.tenant, after, kIdsAtOnce);
            if (!ids) return ids.error();
            for (const auto& id : *ids) {
                if (auto failed = verify_one({request_.tenant, id}, {})) return failed;
                if (stopped()) return std::nullopt;
                after = id;
            }
            if (ids->size() < kIdsAtOnce) return std::nullopt;
            if ((examined_ += ids->size()) >= kAuditSchedulesMax) answer_.next = AuditPlace{after, true};
        }
        return std::nullopt;
    }

    // The events and the end of a chain come from one snapshot, so new events do not look like a break.
    std::optional<Error> verify_one(const store::ScheduleRef& schedule, model::ChainPoint point) {
        while (true) {
            const auto asked = std::min(left_, static_cast<std::int64_t>(store::kPageMax));
            const auto chain = reader_.audit_chain(schedule, point.sequence, static_cast<std::size_t>(asked));
            if (!chain) {
                // Retention may have removed it after it was listed.
                const bool gone = chain.error().code == ErrorCode::not_found && !request_.schedule;
                return gone ? std::nullopt : std::optional(chain.error());
            }
            if (point.sequence < chain->archived.sequence) {
                point = chain->archived;
                answer_.checkpoints.push_back({chain->schedule_id, point});
            }
            for (const auto& event : chain->events) {
                if (auto broken = model::follow(point, chain->schedule_id, event))
                    return report(*chain, std::move(*broken));
                ++answer_.events;
                --left_;
            }
            const bool at_end = chain->end && point.sequence >= chain->end->sequence;
            const bool no_more = chain->events.empty() && asked > 0;
            if (!at_end && !no_more) {
                if (left_ > 0) continue;
                answer_.next = AuditPlace{chain->schedule_id, false, point};
                return std::nullopt;
            }
            if (chain->end) {
                if (auto broken = model::check_end(point, *chain->end)) return report(*chain, std::move(*broken));
            }
            ++answer_.schedules;
            return std::nullopt;
        }
    }

    std::optional<Error> report(const store::AuditChain& chain, model::ChainBreak broken) {
        answer_.broken.emplace(chain.schedule_id, std::move(broken));
        return std::nullopt;
    }

    store::StoreReader& reader_;
    const AuditRequest& request_;
    std::int64_t left_;
    std::size_t examined_ = 0;  // schedules
    AuditAnswer answer_;
};

}  // namespace

std::string format_audit_place(const AuditPlace& place) {
    if (place.finished) return place.schedule_id;
    return place.schedule_id + " " + std::to_string(place.verified.sequence) + " " + to_hex(place.verified.hash);
}

Result<AuditPlace> parse_audit_place(std::string_view text) {
    const auto refused = invalid("the cursor does not come from a verification; send nextCursor unchanged");
    const auto blank = text.find(' ');
    AuditPlace place{.schedule_id = std::string(text.substr(0, blank)), .finished = blank == std::string_view::npos};
    if (!parse_uuid(place.schedule_id)) return refused;
    if (place.finished) return place;
    text.remove_prefix(blank + 1);
    const auto second = text.find(' ');
    const auto sequence = parse_integer(text.substr(0, second));
    if (second == std::string_view::npos || !sequence || *sequence < 0) return refused;
    auto hash = model::parse_chain_hash(text.substr(second + 1));
    if (!hash) return refused;
    place.verified = {*sequence, std::move(*hash)};
    return place;
}

Result<AuditAnswer> verify_audit(store::StoreReader& reader, const AuditRequest& request) {
    return Verification(reader, request).run();
}

}  // namespace belfry::engine
