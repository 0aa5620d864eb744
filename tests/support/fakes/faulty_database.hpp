// A database whose k-th call fails: for tests that try every place at which a transaction can break. Thread-safe, as
// far as the database that it wraps is.
//
// Everything that a store asks of the database is a call and has a number, from 1: the begin of a read or a write,
// every statement, script and notification, and the end of a write. A transaction in which a call failed keeps nothing,
// even when the work overlooks the error: that is what both databases promise.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "store/sql/database.hpp"

namespace belfry::test {

enum class CallKind : std::uint8_t { begin_write, begin_read, statement, commit };

enum class CallFault : std::uint8_t {
    refused,                // unavailable, and the call was not carried out
    lost,                   // unavailable, although the call was carried out; not for a commit
    contested,              // conflict, and the call was not carried out
    unknown_committed,      // the commit happened and nobody heard of it; for a commit only
    unknown_not_committed,  // it did not, and nobody knows; for a commit only
    unknown_pending,        // it is still under way, and happens with settle(); for a commit only
};
[[nodiscard]] std::string name_of(CallFault fault);

// What will go wrong, once.
struct Strike {
    std::size_t call = 0;  // the number of the call; 0: none
    CallFault fault = CallFault::refused;
    // Afterwards the database is away: `skipped` calls work, then so many are refused.
    std::size_t away = 0;
    std::size_t skipped = 0;
};

struct Call {
    CallKind kind = CallKind::statement;
    std::string name = {};                             // of a statement
    const store::sql::Statement* statement = nullptr;  // a constant of the program; none for a script or notification
    friend bool operator==(const Call&, const Call&) = default;
};

class FaultyDatabase final : public store::sql::Database {
public:
    // `inner` has to outlive it.
    explicit FaultyDatabase(store::sql::Database& inner, const Strike& strike = {}) : inner_(inner), strike_(strike) {}
    ~FaultyDatabase() override { settle(); }
    FaultyDatabase(const FaultyDatabase&) = delete;
    FaultyDatabase& operator=(const FaultyDatabase&) = delete;

    // Runs once, when the transaction that was struck is over and before its caller hears of it: somebody else may be
    // quick.
    void when_struck(std::function<void()> somebody);

    // From now on everything works.
    void heal();

    // What was left pending is committed when this returns. REQUIRES: nobody else settles at the same time.
    void settle();

    [[nodiscard]] bool struck() const;
    [[nodiscard]] std::vector<Call> calls() const;

    [[nodiscard]] const store::sql::Dialect& dialect() const override { return inner_.dialect(); }
    Result<Instant> now() override { return inner_.now(); }
    Result<void> write(const store::sql::Work& work) override;
    Result<void> read(const store::sql::Work& work) override;
    void listen(std::function<void(std::string_view)> listener) override { inner_.listen(std::move(listener)); }

private:
    class FaultySession;

    // Counts the call; says what happens to it.
    std::optional<CallFault> next(CallKind kind, std::string_view name = {},
                                  const store::sql::Statement* statement = nullptr);
    Result<void> after_strike(Result<void> answer);
    Result<void> carry_out(const store::sql::Work& work, store::sql::Session& inner,
                           std::optional<CallFault>& at_commit);
    Result<void> leave_pending(const store::sql::Work& work);
    [[nodiscard]] bool will_be_pending() const;

    store::sql::Database& inner_;
    mutable Mutex mutex_;
    Strike strike_ BELFRY_GUARDED_BY(mutex_);
    bool struck_ BELFRY_GUARDED_BY(mutex_) = false;
    std::vector<Call> calls_ BELFRY_GUARDED_BY(mutex_);
    std::function<void()> somebody_ BELFRY_GUARDED_BY(mutex_);
    std::promise<void> settled_;
    std::thread pending_;
};

// The same database for several owners: what it is given goes to another one, which has to outlive it.
class BorrowedDatabase final : public store::sql::Database {
public:
    explicit BorrowedDatabase(store::sql::Database& inner) : inner_(inner) {}
    [[nodiscard]] const store::sql::Dialect& dialect() const override { return inner_.dialect(); }
    Result<Instant> now() override { return inner_.now(); }
    Result<void> write(const store::sql::Work& work) override { return inner_.write(work); }
    Result<void> read(const store::sql::Work& work) override { return inner_.read(work); }
    void listen(std::function<void(std::string_view)> listener) override { inner_.listen(std::move(listener)); }

private:
    store::sql::Database& inner_;
};

}  // namespace belfry::test
