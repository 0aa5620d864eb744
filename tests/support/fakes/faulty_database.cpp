#include "support/fakes/faulty_database.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace belfry::test {

using store::sql::Batch;
using store::sql::Row;
using store::sql::RowSink;
using store::sql::RowVisitor;
using store::sql::Session;
using store::sql::Statement;
using store::sql::Work;

namespace {

Error error_of(CallFault fault) {
    switch (fault) {
        case CallFault::refused: return {ErrorCode::unavailable, "planted: the call is refused"};
        case CallFault::lost: return {ErrorCode::unavailable, "planted: the connection is lost"};
        case CallFault::contested: return {ErrorCode::conflict, "planted: a constraint refuses"};
        case CallFault::unknown_committed:
        case CallFault::unknown_not_committed:
        case CallFault::unknown_pending: break;
    }
    return {ErrorCode::unknown, "planted: the connection broke inside the commit"};
}

}  // namespace

std::string name_of(CallFault fault) {
    switch (fault) {
        case CallFault::refused: return "refused";
        case CallFault::lost: return "lost";
        case CallFault::contested: return "contested";
        case CallFault::unknown_committed: return "unknown, committed";
        case CallFault::unknown_not_committed: return "unknown, not committed";
        case CallFault::unknown_pending: return "unknown, pending";
    }
    return "?";
}

// After the first error it answers nothing else.
class FaultyDatabase::FaultySession final : public Session {
public:
    FaultySession(FaultyDatabase& database, Session& inner) : database_(database), inner_(inner) {}

    Result<std::int64_t> run(const Statement& statement, const Batch& batch, const RowSink& sink) override {
        return call<std::int64_t>(
            statement.name, [&](bool heard) { return inner_.run(statement, batch, heard ? sink : RowSink()); },
            &statement);
    }
    Result<void> scan(const Statement& statement, const Batch& batch, const RowVisitor& visitor) override {
        const RowVisitor deaf = [](const Row&) { return false; };
        return call<void>(
            statement.name, [&](bool heard) { return inner_.scan(statement, batch, heard ? visitor : deaf); },
            &statement);
    }
    Result<void> notify(std::string_view text) override {
        return call<void>("notify", [&](bool) { return inner_.notify(text); });
    }
    Result<void> script(std::string_view text) override {
        return call<void>("script", [&](bool) { return inner_.script(text); });
    }

    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

private:
    template <typename T, typename Inner>
    Result<T> call(std::string_view name, const Inner& inner, const Statement* statement = nullptr) {
        if (failure_) return *failure_;
        const auto fault = database_.next(CallKind::statement, name, statement);
        if (fault == CallFault::lost) (void)inner(false);
        if (fault) {
            failure_ = error_of(*fault);
            return *failure_;
        }
        auto answer = inner(true);
        if (!answer) failure_ = answer.error();
        return answer;
    }

    FaultyDatabase& database_;
    Session& inner_;
    std::optional<Error> failure_ = {};
};

void FaultyDatabase::when_struck(std::function<void()> somebody) {
    const MutexLock lock(mutex_);
    somebody_ = std::move(somebody);
}

void FaultyDatabase::heal() {
    const MutexLock lock(mutex_);
    strike_ = {};
}

bool FaultyDatabase::struck() const {
    const MutexLock lock(mutex_);
    return struck_;
}

std::vector<Call> FaultyDatabase::calls() const {
    const MutexLock lock(mutex_);
    return calls_;
}

std::optional<CallFault> FaultyDatabase::next(CallKind kind, std::string_view name, const Statement* statement) {
    const MutexLock lock(mutex_);
    calls_.push_back({kind, std::string(name), statement});
    const auto number = calls_.size();
    if (strike_.call == 0 || number < strike_.call) return std::nullopt;
    if (number == strike_.call) {
        struck_ = true;
        return strike_.fault;
    }
    const auto later = number - strike_.call - 1;
    if (later >= strike_.skipped && later < strike_.skipped + strike_.away) return CallFault::refused;
    return std::nullopt;
}

Result<void> FaultyDatabase::after_strike(Result<void> answer) {
    std::function<void()> somebody;
    {
        const MutexLock lock(mutex_);
        if (struck_) somebody = std::exchange(somebody_, {});
    }
    if (somebody) somebody();
    return answer;
}

// The work up to its commit, which may be struck as well.
Result<void> FaultyDatabase::carry_out(const Work& work, Session& inner, std::optional<CallFault>& at_commit) {
    FaultySession session(*this, inner);
    auto answer = work(session);
    if (answer && session.failure()) return *session.failure();
    if (!answer) return answer;
    at_commit = next(CallKind::commit);
    if (!at_commit || at_commit == CallFault::unknown_committed || at_commit == CallFault::unknown_pending)
        return answer;
    return error_of(*at_commit);
}

bool FaultyDatabase::will_be_pending() const {
    const MutexLock lock(mutex_);
    return strike_.fault == CallFault::unknown_pending && !struck_;
}

// On a thread of its own, which stops where only the commit is left to do.
Result<void> FaultyDatabase::leave_pending(const Work& work) {
    // The answer, or nothing when it waits at its commit. Shared: the thread may still be telling when we have heard
    // it.
    const auto reached = std::make_shared<std::promise<std::optional<Result<void>>>>();
    auto answer = reached->get_future();
    std::thread thread([this, &work, reached, settled = settled_.get_future()] {
        std::optional<CallFault> at_commit;
        auto done = inner_.write([&](Session& inner) -> Result<void> {
            auto ready = carry_out(work, inner, at_commit);
            if (at_commit != CallFault::unknown_pending) return ready;
            reached->set_value(std::nullopt);
            settled.wait();
            return ready;
        });
        if (at_commit != CallFault::unknown_pending) reached->set_value(std::move(done));
    });
    auto early = answer.get();
    if (early) {
        thread.join();
        settled_ = {};
        return std::move(*early);
    }
    pending_ = std::move(thread);
    return error_of(CallFault::unknown_pending);
}

void FaultyDatabase::settle() {
    if (!pending_.joinable()) return;
    settled_.set_value();
    pending_.join();
}

Result<void> FaultyDatabase::write(const Work& work) {
    if (const auto fault = next(CallKind::begin_write)) return after_strike(error_of(*fault));
    if (will_be_pending()) return after_strike(leave_pending(work));
    std::optional<CallFault> at_commit;
    auto done = inner_.write([&](Session& inner) { return carry_out(work, inner, at_commit); });
    if (done && at_commit == CallFault::unknown_committed) done = error_of(*at_commit);
    return after_strike(std::move(done));
}

Result<void> FaultyDatabase::read(const Work& work) {
    if (const auto fault = next(CallKind::begin_read)) return after_strike(error_of(*fault));
    return after_strike(inner_.read([&](Session& inner) -> Result<void> {
        FaultySession session(*this, inner);
        auto answer = work(session);
        if (answer && session.failure()) return *session.failure();
        return answer;
    }));
}

}  // namespace belfry::test
