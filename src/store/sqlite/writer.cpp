#include "store/sqlite/writer.hpp"

#include <pthread.h>

#include <algorithm>
#include <cassert>

#include "store/sqlite/error.hpp"
#include "store/sqlite/session.hpp"

namespace belfry::store::sqlite {

namespace {

using sql::Statement;

// IMMEDIATE: a wait for another process happens here, before any work, and never in the middle.
const Statement kBegin{"begin", "BEGIN IMMEDIATE"};
const Statement kCommit{"commit", "COMMIT"};
const Statement kSavepoint{"savepoint", "SAVEPOINT work"};
const Statement kRollbackTo{"rollback to savepoint", "ROLLBACK TO work"};
const Statement kRelease{"release savepoint", "RELEASE work"};

Error given_up() {
    return {ErrorCode::unavailable, "the transaction was rolled back because another write in it failed"};
}

}  // namespace

// Lives on the stack of its caller, which waits in write() until it is done.
struct Writer::Request {
    explicit Request(const sql::Work& what) : work(what) {}

    const sql::Work& work;
    Result<void> result = given_up();  // the default: the transaction ended before this work ran
    std::vector<std::string> notifications = {};
    bool done = false;  // guarded by the writer's mutex
    Woken woken;        // signalled when the request is done or at the front
};

// Cleans up when the leader's turn ends, even if a work throws.
class Writer::Turn {
public:
    Turn(Writer& writer, const Group& group) : writer_(writer), group_(group) {}
    ~Turn() {
        writer_.connection_->roll_back();
        writer_.gate_.leave();
        writer_.answer_followers(group_);
        writer_.pass_on();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Writer& writer_;
    const Group& group_;
};

Writer::Writer(std::unique_ptr<Connection> connection, WriteGate gate, Notifier& notifier)
    : connection_(std::move(connection)),
      gate_(std::move(gate)),
      notifier_(notifier),
      checkpointer_([this](const std::stop_token& stop) { checkpoint_when_due(stop); }) {}

Writer::~Writer() = default;

Result<void> Writer::write(const sql::Work& work) {
    Request request(work);
    if (const auto group = wait_for_turn(request); !group.empty()) {
        const Turn turn(*this, group);
        commit(group);
    }
    return std::move(request.result);
}

std::size_t Writer::callers() const {
    const MutexLock lock(mutex_);
    return queue_.size();
}

// The group to lead, or empty if another leader has done the work.
Writer::Group Writer::wait_for_turn(Request& request) {
    const MutexLock lock(mutex_);
    queue_.push_back(&request);
    while (!request.done && (checkpoint_due_ || queue_.front() != &request)) request.woken.wait(mutex_);
    if (request.done) return {};
    return {queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), kGroupMax))};
}

// The leader stays at the front of the queue, which keeps the turn. A follower's request is destroyed once the mutex
// is released.
void Writer::answer_followers(const Group& group) {
    const MutexLock lock(mutex_);
    for (auto follower = group.begin() + 1; follower != group.end(); ++follower) {
        (*follower)->done = true;
        (*follower)->woken.notify_one();
    }
    queue_.erase(queue_.begin() + 1, queue_.begin() + static_cast<std::ptrdiff_t>(group.size()));
}

// A checkpoint goes first. The leader need not wait for it, because its work is committed.
void Writer::pass_on() {
    const MutexLock lock(mutex_);
    queue_.pop_front();
    log_pages_ = connection_->take_log_pages();
    checkpoint_due_ = log_pages_ >= kCheckpointPages;
    if (checkpoint_due_) {
        checkpoint_woken_.notify_one();
    } else if (!queue_.empty()) {
        queue_.front()->woken.notify_one();
    }
}

void Writer::checkpoint_when_due(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "checkpointer");
    while (true) {
        int pages = 0;
        {
            const MutexLock lock(mutex_);
            const auto due = [this]() BELFRY_REQUIRES(mutex_) { return checkpoint_due_; };
            if (!checkpoint_woken_.wait(mutex_, stop, due)) return;
            pages = log_pages_;
        }
        checkpoint(pages);
        const MutexLock lock(mutex_);
        checkpoint_due_ = false;
        if (!queue_.empty()) queue_.front()->woken.notify_one();
    }
}

void Writer::commit(const Group& group) {
    const auto fail = [&](const Error& error, auto&& whom) {
        for (Request* request : group) {
            if (whom(*request)) request->result = error;
        }
    };
    const auto succeeded = [](const Request& request) { return request.result.has_value(); };

    if (!gate_.enter_as_writer(kBusyTimeout)) {
        return fail({ErrorCode::unavailable, "another process is checkpointing the database"},
                    [](const Request&) { return true; });
    }
    if (const int code = connection_->execute(kBegin); code != SQLITE_OK) {
        return fail(error_of(connection_->handle(), code, kBegin.name), [](const Request&) { return true; });
    }
    run_all(group);
    if (!connection_->in_transaction()) return fail(given_up(), succeeded);
    if (std::ranges::none_of(group, [&](const Request* request) { return succeeded(*request); }))
        return connection_->roll_back();

    if (const int code = connection_->execute(kCommit); code != SQLITE_OK) {
        const auto error = commit_error_of(connection_->handle(), code);
        connection_->roll_back();
        return fail(error, succeeded);
    }
    for (Request* request : group) {
        if (succeeded(*request)) notifier_.notify(std::move(request->notifications));
    }
}

// Stops if the transaction has ended: statements outside of a transaction could not be rolled back.
void Writer::run_all(const Group& group) {
    for (Request* request : group) {
        request->result = group.size() == 1 ? run_one(*request) : run_in_savepoint(*request);
        if (!connection_->in_transaction()) return;
    }
}

Result<void> Writer::run_one(Request& request) {
    Session session(*connection_);
    auto answer = request.work(session);
    // A work may ignore an error, but the rest of it must not be committed.
    if (answer && session.failure()) answer = *session.failure();
    if (answer) request.notifications = session.take_notifications();
    return answer;
}

// If the savepoint cannot be released or rolled back, the whole transaction is rolled back, and run_all notices it.
Result<void> Writer::run_in_savepoint(Request& request) {
    if (const int code = connection_->execute(kSavepoint); code != SQLITE_OK) {
        return error_of(connection_->handle(), code, kSavepoint.name);
    }
    auto answer = run_one(request);
    if (!connection_->in_transaction()) return answer;
    const bool undone = answer || connection_->execute(kRollbackTo) == SQLITE_OK;
    if (!undone || connection_->execute(kRelease) != SQLITE_OK) connection_->roll_back();
    return answer;
}

// A failed checkpoint loses nothing: the next commit tries again. The same holds if another process was writing.
void Writer::checkpoint(int pages) {
    if (!gate_.try_enter_alone()) return;
    if (pages < restart_at_pages_) {
        sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    } else {
        sqlite3_busy_timeout(connection_->handle(), static_cast<int>(kReadersPatience.count()));
        const int code =
            sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
        sqlite3_busy_timeout(connection_->handle(), static_cast<int>(kBusyTimeout.count()));
        restart_at_pages_ = code == SQLITE_OK ? kLogPagesMax : pages + kLogPagesMax;
    }
    gate_.leave();
}

}  // namespace belfry::store::sqlite
