#include "store/sql/write/committing.hpp"

namespace belfry::store::sql {

namespace {

constexpr int kLooksMax = 5;  // after an unknown outcome; the database backs off between checks

}  // namespace

Result<void> commit(Database& database, const Work& work, const CommitProbe& look) {
    auto done = database.write(work);
    if (done || done.error().code != ErrorCode::unknown) return done;
    for (int i = 0; i < kLooksMax; ++i) {
        auto happened = CommitOutcome::no;
        const auto looked = database.write([&](Session& session) -> Result<void> {
            auto answer = look(session);
            if (!answer) return answer.error();
            happened = *answer;
            return {};
        });
        if (!looked) continue;
        if (happened == CommitOutcome::yes) return {};
        if (happened == CommitOutcome::unclear) return done;
        return from_database(ErrorCode::unavailable,
                             "the connection broke before the commit, nothing was changed: " + done.error().message);
    }
    return done;
}

Result<void> commit_repeatable(Database& database, const Work& work) {
    auto done = database.write(work);
    // While the repetition also fails, the first attempt may have committed.
    for (int i = 0; i < kLooksMax && !done && done.error().code == ErrorCode::unknown; ++i) {
        if (database.write(work)) done = {};
    }
    return done;
}

}  // namespace belfry::store::sql
