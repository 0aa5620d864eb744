// Verifies archived audit events, in any order of files. Equal events may appear twice, because a server that died
// after it wrote a file archives them again. Needs about 100 bytes of memory for each event.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "model/run/audit_chain.hpp"

namespace belfry::engine {

class ArchiveVerifier {
public:
    // Returns why the event does not fit the others.
    [[nodiscard]] std::optional<model::ChainBreak> add(const model::ArchivedEvent& archived);
    // After all events: the first gap, with its schedule.
    [[nodiscard]] std::optional<std::pair<std::string, model::ChainBreak>> find_gap() const;
    // Returns why the chain in the store, which continues after `checkpoint`, does not continue the archive.
    [[nodiscard]] std::optional<model::ChainBreak> check_join(const std::string& schedule_id,
                                                              const model::ChainPoint& checkpoint) const;

    [[nodiscard]] std::size_t events() const { return events_; }  // counts equal events once
    [[nodiscard]] std::size_t schedules() const { return chains_.size(); }

private:
    struct Chain {
        std::map<std::int64_t, model::ChainHash> hashes = {};    // by sequence
        std::map<std::int64_t, model::ChainHash> previous = {};  // of events whose predecessor was not added yet
    };
    std::map<std::string, Chain> chains_ = {};  // by schedule
    std::size_t events_ = 0;
};

}  // namespace belfry::engine
