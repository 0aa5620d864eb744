// All writes of a file, one transaction after the other, several works in each. Thread-safe.
//
// A commit costs the wait for the disk, whether it holds one work or fifty. So the callers queue up, as LevelDB's writers
// do. Whoever is at the front is the leader: it takes what has queued up behind it, runs everything in one transaction on its
// own thread, commits once, gives the others their answers, and passes the turn on. There is no thread of our own, and
// nobody waits for company: a caller that is alone commits alone.
//
// What a caller may rely on:
//   - Each work of a group runs inside its own savepoint, so one that fails leaves nothing and takes nobody with it.
//   - Success is answered only after the one COMMIT that holds it. When SQLite gives up the whole transaction (a full disk or
//     a failing one can end it between two statements), every work of the group fails, those before and those after.
//   - When the process dies before the COMMIT is on the disk, nobody had an answer, and the file has nothing of the group.
//   - An exception out of a work is a bug that ends up with the leader, which may be another caller. On its way the
//     transaction is rolled back, everybody else in the group is answered `unavailable`, and the turn passes on.
//
// A work must not call write(): it would wait for itself.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "store/sqlite/announcer.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/write_gate.hpp"

namespace belfry::store::sqlite {

// Enough that the disk is no longer what limits, and few enough that the first of them does not wait long for the last.
inline constexpr std::size_t kGroupMax = 64;

// From this size of the log on (4 MB, SQLite's own habit) its pages are copied into the file after a commit.
inline constexpr int kCheckpointPages = 1'000;

// Readers that always overlap keep the log from starting over. At this size (64 MB) the writer waits for them, but only so
// long, and then not again before the log has grown by as much.
inline constexpr int kLogPagesMax = 16'000;
inline constexpr std::chrono::milliseconds kReadersPatience{200};

class Writer {
public:
    // The announcer is told what was announced, after its commit.
    Writer(std::unique_ptr<Connection> connection, WriteGate gate, Announcer& announcer);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // As sql::Database::write.
    Result<void> write(const sql::Work& work);

    // How many callers have no answer yet, the leader included.
    [[nodiscard]] std::size_t callers() const;

private:
    struct Request;
    class Turn;
    using Group = std::vector<Request*>;

    [[nodiscard]] Group wait_for_turn(Request& request);
    void answer_followers(const Group& group);
    void pass_on();

    // The leader's part: REQUIRES the turn, which is what guards the members below.
    void commit(const Group& group);
    void run_all(const Group& group);
    Result<void> run_one(Request& request);
    Result<void> run_in_savepoint(Request& request);
    void checkpoint();

    mutable Mutex mutex_;
    std::deque<Request*> queue_ BELFRY_GUARDED_BY(mutex_);

    std::unique_ptr<Connection> connection_;
    WriteGate gate_;
    Announcer& announcer_;
    int restart_at_pages_ = kLogPagesMax;
};

}  // namespace belfry::store::sqlite
