// A mutex for clang's thread-safety analysis, which rejects code that uses a guarded member without the lock.
#pragma once

#include <mutex>

#if defined(__clang__)
#define BELFRY_ANNOTATE(attribute) __attribute__((attribute))
#else
#define BELFRY_ANNOTATE(attribute)
#endif
#define BELFRY_CAPABILITY(name) BELFRY_ANNOTATE(capability(name))
#define BELFRY_SCOPED_CAPABILITY BELFRY_ANNOTATE(scoped_lockable)
#define BELFRY_GUARDED_BY(mutex) BELFRY_ANNOTATE(guarded_by(mutex))
#define BELFRY_ACQUIRE(...) BELFRY_ANNOTATE(acquire_capability(__VA_ARGS__))
#define BELFRY_RELEASE(...) BELFRY_ANNOTATE(release_capability(__VA_ARGS__))
#define BELFRY_REQUIRES(...) BELFRY_ANNOTATE(requires_capability(__VA_ARGS__))

namespace belfry {

class BELFRY_CAPABILITY("mutex") Mutex {
public:
    void lock() BELFRY_ACQUIRE() { mutex_.lock(); }
    void unlock() BELFRY_RELEASE() { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

// Holds the mutex for the rest of the block.
class BELFRY_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) BELFRY_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    ~MutexLock() BELFRY_RELEASE() { mutex_.unlock(); }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

private:
    Mutex& mutex_;
};

}  // namespace belfry
