// Changes schedules. Many clients change one schedule each, so their calls share transactions.
#include "store/sql/shared/shared_calls.hpp"
#include "store/sql/sql_store.hpp"

namespace belfry::store::sql {

SqlStore::ChangeAnswers SqlStore::change_all(std::span<const ChangeRequest* const> requests,
                                             ChangeRound::Locked locked) {
    ChangeRound round(requests, memory_, zones_, locked);
    auto done = commit([&round](Session& session) { return round.decide(session); },
                       [&round](Session& session) { return look_for(session, round.traces()); });
    if (done) return round.take_answers();
    if (!may_be_own(done.error())) return done.error();
    // If there is more than one, each is tried alone.
    std::vector<ChangeAnswer> answers(requests.size());
    if (requests.size() == 1) answers.front() = done.error();
    return answers;
}

std::vector<SqlStore::ChangeAnswers> SqlStore::change_round(const std::vector<std::span<const ChangeRequest>>& calls) {
    std::vector<const ChangeRequest*> all;
    for (const auto& call : calls) {
        for (const auto& request : call) all.push_back(&request);
    }
    return split(change_all(all, ChangeRound::Locked::skip), calls);
}

Result<std::vector<Result<decide::Plan>>> SqlStore::change_each(std::span<const ChangeRequest> requests) {
    auto answers = changes_.ask(0, requests.size(), requests);
    if (!answers) return answers.error();
    std::vector<Result<decide::Plan>> plans;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto& answer = (*answers)[i];
        if (!answer) {
            const auto* const request = &requests[i];
            auto alone = change_all({&request, 1}, ChangeRound::Locked::wait);
            answer = alone ? std::move(alone->front()) : ChangeAnswer(alone.error());
        }
        plans.push_back(std::move(*answer));
    }
    return plans;
}

Result<decide::Plan> SqlStore::change(const ScheduleRef& schedule, const FactsRequest& needs, const Planner& planner) {
    const ChangeRequest request{schedule, needs, planner};
    auto plans = change_each({&request, 1});
    if (!plans) return plans.error();
    return std::move(plans->front());
}

}  // namespace belfry::store::sql
