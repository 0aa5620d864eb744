#include "store/sql/committing.hpp"

namespace belfry::store::sql {

namespace {

constexpr int kLooksMax = 5;  // after an unknown commit; the database backs off between them

}  // namespace

Result<void> commit(Database& database, const Work& work, const Look& look) {
    auto done = database.write(work);
    if (done || done.error().code != ErrorCode::unknown) return done;
    for (int i = 0; i < kLooksMax; ++i) {
        auto happened = Happened::no;
        const auto looked = database.write([&](Session& session) -> Result<void> {
            auto answer = look(session);
            if (!answer) return answer.error();
            happened = *answer;
            return {};
        });
        if (!looked) continue;
        if (happened == Happened::yes) return {};
        if (happened == Happened::unclear) return done;
        return from_database(ErrorCode::unavailable, "the connection broke before the commit, nothing was changed: " + done.error().message);
    }
    return done;
}

Result<void> commit_repeatable(Database& database, const Work& work) {
    auto done = database.write(work);
    // As long as the repetition fails, too, the first may have happened.
    for (int i = 0; i < kLooksMax && !done && done.error().code == ErrorCode::unknown; ++i) {
        if (database.write(work)) done = {};
    }
    return done;
}

}  // namespace belfry::store::sql
