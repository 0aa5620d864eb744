#include "store/sqlite/readers.hpp"

#include "store/sqlite/error.hpp"
#include "store/sqlite/session.hpp"

namespace belfry::store::sqlite {

namespace {

// Deferred: the first statement takes the snapshot, which stays until the end.
const sql::Statement kBegin{"begin", "BEGIN"};

}  // namespace

// Returns the connection in every case, however the work ends.
class Readers::Loan {
public:
    Loan(Readers& owner, std::unique_ptr<Connection> connection) : owner_(owner), connection_(std::move(connection)) {}
    ~Loan() {
        connection_->roll_back();
        owner_.give_back(std::move(connection_));
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    Connection& operator*() const { return *connection_; }

private:
    Readers& owner_;
    std::unique_ptr<Connection> connection_;
};

Result<void> Readers::read(const sql::Work& work) {
    auto taken = take();
    if (!taken) return std::move(taken).error();
    const Loan loan(*this, std::move(*taken));
    if (const int code = (*loan).execute(kBegin); code != SQLITE_OK)
        return error_of((*loan).handle(), code, kBegin.name);
    Session session(*loan);
    return work(session);
}

Result<void> Readers::query(const sql::Statement& statement, const sql::Batch& batch, const sql::RowSink& sink) {
    auto taken = take();
    if (!taken) return std::move(taken).error();
    const Loan loan(*this, std::move(*taken));
    Session session(*loan);
    auto done = session.run(statement, batch, sink);
    return done ? Result<void>() : done.error();
}

Result<std::unique_ptr<Connection>> Readers::take() {
    {
        const MutexLock lock(mutex_);
        while (in_use_ == kReadersMax) returned_.wait(mutex_);
        ++in_use_;
        if (!idle_.empty()) {
            auto connection = std::move(idle_.back());
            idle_.pop_back();
            return connection;
        }
    }
    auto opened = Connection::open(path_, Access::read);
    if (!opened) give_back(nullptr);
    return opened;
}

// Null makes room for a new connection.
void Readers::give_back(std::unique_ptr<Connection> connection) {
    const MutexLock lock(mutex_);
    --in_use_;
    if (connection && !connection->in_transaction()) idle_.push_back(std::move(connection));
    returned_.notify_one();
}

}  // namespace belfry::store::sqlite
