#include "engine/audit/archive_verifier.hpp"

namespace belfry::engine {

namespace {

using model::ChainBreak;

ChainBreak differs(std::int64_t sequence, const std::string& problem, const model::ChainHash& expected,
                   const model::ChainHash& found) {
    return {sequence, "event " + std::to_string(sequence) + " " + problem, expected, found};
}

}  // namespace

std::optional<ChainBreak> ArchiveVerifier::add(const model::ArchivedEvent& archived) {
    const auto& event = archived.event;
    const auto sequence = event.sequence;
    model::ChainPoint point{sequence - 1, archived.previous};
    if (auto broken = model::follow(point, archived.schedule_id, event)) return broken;
    if (sequence == 1 && !archived.previous.empty())
        return differs(sequence, "cannot have a predecessor", {}, archived.previous);
    auto& [hashes, previous] = chains_[archived.schedule_id];
    const auto [added, is_new] = hashes.emplace(sequence, event.hash);
    if (!is_new) {
        if (added->second == event.hash) return std::nullopt;
        return differs(sequence, "is in the archive twice, with different hashes", added->second, event.hash);
    }
    ++events_;
    if (const auto before = hashes.find(sequence - 1); before == hashes.end()) {
        if (sequence > 1) previous.emplace(sequence, archived.previous);
    } else if (before->second != archived.previous) {
        return differs(sequence, "does not follow its predecessor", before->second, archived.previous);
    }
    const auto next = previous.find(sequence + 1);
    if (next == previous.end()) return std::nullopt;
    if (next->second != event.hash)
        return differs(sequence + 1, "does not follow its predecessor", event.hash, next->second);
    previous.erase(next);
    return std::nullopt;
}

std::optional<std::pair<std::string, ChainBreak>> ArchiveVerifier::find_gap() const {
    for (const auto& [schedule_id, chain] : chains_) {
        for (const auto& [sequence, hash] : chain.previous) {
            if (sequence == chain.hashes.begin()->first) continue;  // older files may be elsewhere
            return std::pair(schedule_id, differs(sequence - 1, "is missing", hash, {}));
        }
    }
    return std::nullopt;
}

std::optional<ChainBreak> ArchiveVerifier::check_join(const std::string& schedule_id,
                                                      const model::ChainPoint& checkpoint) const {
    const auto chain = chains_.find(schedule_id);
    const auto missing =
        differs(checkpoint.sequence, "is neither in the store nor in the archive", checkpoint.hash, {});
    if (chain == chains_.end()) return missing;
    const auto found = chain->second.hashes.find(checkpoint.sequence);
    if (found == chain->second.hashes.end()) return missing;
    if (found->second == checkpoint.hash) return std::nullopt;
    return differs(checkpoint.sequence, "in the archive is not the one that the store continues", checkpoint.hash,
                   found->second);
}

}  // namespace belfry::engine
