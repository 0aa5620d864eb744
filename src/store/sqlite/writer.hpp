// All writes of a file, one transaction after another, with several works in each. Thread-safe.
//
// A commit waits for the disk once, whether it holds one work or fifty. So the callers form a queue, as in LevelDB. The
// caller at the front is the leader: it takes the works queued behind it, runs them in one transaction on its own
// thread, commits once, hands the others their results, and passes the turn on. No caller waits for others to join: a
// single caller commits alone.
//
// A checkpoint writes megabytes, and no caller is to wait for that after its own commit. So a thread does it between
// two turns.
//
// Guarantees:
//   - Each work of a group runs in its own savepoint, so a failed one leaves no changes and does not affect the others.
//   - A work succeeds only after the COMMIT that contains it. If SQLite rolls back the whole transaction (a full or
//     failing disk can end it between two statements), every work of the group fails, earlier ones too.
//   - If the process dies before the COMMIT is on disk, no caller has a result, and the file has no part of the group.
//   - An exception from a work is a bug. It reaches the leader, which may be another caller. The transaction is rolled
//     back, all others in the group get `unavailable`, and the turn passes on.
//
// A work must not call write(): it would wait for itself.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/notifier.hpp"
#include "store/sqlite/write_gate.hpp"

namespace belfry::store::sqlite {

// Enough that the disk is not the bottleneck, and few enough that the first work does not wait long for the last.
inline constexpr std::size_t kGroupMax = 64;

// From this size of the log on (4 MB, SQLite's default), a checkpoint follows a commit.
inline constexpr int kCheckpointPages = 1'000;

// Readers that always overlap keep the log from restarting. At this size (64 MB) the writer waits for them, but only
// this long, and then not again until the log has grown by the same amount.
inline constexpr int kLogPagesMax = 16'000;
inline constexpr std::chrono::milliseconds kReadersPatience{200};

class Writer {
public:
    // The notifier gets the notifications of each transaction after its commit.
    Writer(std::unique_ptr<Connection> connection, WriteGate gate, Notifier& notifier);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Like sql::Database::write.
    Result<void> write(const sql::Work& work);

    // The number of callers without a result, including the leader.
    [[nodiscard]] std::size_t callers() const;

private:
    struct Request;
    class Turn;
    using Group = std::vector<Request*>;

    [[nodiscard]] Group wait_for_turn(Request& request);
    void answer_followers(const Group& group);
    void pass_on();

    void checkpoint_when_due(const std::stop_token& stop);

    // The part of the leader or of the checkpointer. REQUIRES: the turn, which guards the members below.
    void commit(const Group& group);
    void run_all(const Group& group);
    Result<void> run_one(Request& request);
    Result<void> run_in_savepoint(Request& request);
    void checkpoint(int pages);

    using Woken = std::condition_variable_any;
    mutable Mutex mutex_;
    std::deque<Request*> queue_ BELFRY_GUARDED_BY(mutex_);
    bool checkpoint_due_ BELFRY_GUARDED_BY(mutex_) = false;  // the checkpointer has the turn
    int log_pages_ BELFRY_GUARDED_BY(mutex_) = 0;
    Woken checkpoint_woken_;

    std::unique_ptr<Connection> connection_;
    WriteGate gate_;
    Notifier& notifier_;
    int restart_at_pages_ = kLogPagesMax;

    std::jthread checkpointer_;  // last member, so that it ends first
};

}  // namespace belfry::store::sqlite
