#include "api/resources/tasks/long_poll_claim.hpp"

#include "api/contract/problem.hpp"
#include "api/resources/runs/run_dto.hpp"

namespace belfry::api {

namespace {

using engine::LongPollQueue;
using Tasks = std::vector<model::Task>;

class LongPollClaim {
public:
    LongPollClaim(engine::Runs& runs, LongPollQueue& long_polls, const engine::Runs::Claim& claim,
                  const ClaimResponse& respond)
        : runs_(runs),
          claim_(claim),
          respond_(respond),
          place_(long_polls.join(engine::line_key(claim.tenant, claim.queue, claim.assignee))) {}

    Result<Tasks> look() {
        Result<Tasks> tasks = Tasks();
        place_->look([&] {
            tasks = runs_.claim(claim_);
            // After an error, do not wake the other waiting claims: they would get the same error.
            if (!tasks || tasks->empty()) return LongPollQueue::Found::nothing;
            return tasks->size() < claim_.limit ? LongPollQueue::Found::some : LongPollQueue::Found::all_wanted;
        });
        return tasks;
    }

    // When the wait has ended, do not claim again: the client may be gone, and the task should go to the next worker.
    std::optional<Response> again(bool last) {
        const auto tasks = last ? Result<Tasks>(Tasks()) : look();
        if (tasks && tasks->empty() && !last) return std::nullopt;
        auto response = respond_(tasks);
        return response ? std::move(*response) : problem_response(problem_of(response.error()));
    }

    void listen(LongPollQueue::Ring ring) { place_->listen(std::move(ring)); }

private:
    engine::Runs& runs_;
    const engine::Runs::Claim claim_;
    const ClaimResponse respond_;
    std::unique_ptr<LongPollQueue::Place> place_;
};

}  // namespace

boost::json::array tasks_json(const std::vector<model::Task>& tasks) {
    boost::json::array items;
    for (const auto& task : tasks) items.push_back(to_json(task));
    return items;
}

Result<Response> claim_or_wait(engine::Runs& runs, LongPollQueue& long_polls, const engine::Runs::Claim& claim,
                               Micros wait, const ClaimResponse& respond) {
    if (wait <= Micros{0}) return respond(runs.claim(claim));
    const auto until = std::chrono::steady_clock::now() + wait;
    const auto waiting = std::make_shared<LongPollClaim>(runs, long_polls, claim, respond);
    const auto tasks = waiting->look();
    if (!tasks || !tasks->empty()) return respond(tasks);
    Response response;
    response.deferred = std::make_shared<DeferredResponse>(
        DeferredResponse{.poll = [waiting](const Request&, bool last) { return waiting->again(last); },
                         .listen = [waiting](std::function<void()> ring) { waiting->listen(std::move(ring)); },
                         .until = until});
    return response;
}

}  // namespace belfry::api
