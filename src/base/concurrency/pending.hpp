// Lets an operation report that it depends on a call to another machine. A thread that serves clients never waits for
// such a call: the operation starts it, adds a Pending here, and returns an error. A caller with a PendingWatch may
// repeat the operation when the call has ended; other callers return the error.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace belfry {

struct Pending {
    // Calls `ring` on any thread when the operation should be repeated, at once if that is already so. Destroying the
    // returned handle cancels it.
    std::function<std::shared_ptr<const void>(std::function<void()> ring)> listen = {};
    std::chrono::steady_clock::time_point until = {};  // the call has ended by then
};

// Collects what the operations of this thread depend on during its lifetime. A nested watch hides the outer one.
class PendingWatch {
public:
    PendingWatch() : outer_(std::exchange(current, this)) {}
    ~PendingWatch() { current = outer_; }
    PendingWatch(const PendingWatch&) = delete;
    PendingWatch& operator=(const PendingWatch&) = delete;

    // For operations; does nothing without a watch.
    static void add(Pending pending) {
        if (current != nullptr && !current->has_effects_) current->found_ = std::move(pending);
    }
    // The operation changed something. Later dependencies are then no reason to repeat it as a whole.
    static void had_effect() {
        if (current != nullptr) current->has_effects_ = true;
    }

    [[nodiscard]] std::optional<Pending> take() { return std::exchange(found_, std::nullopt); }

private:
    inline static thread_local PendingWatch* current = nullptr;

    PendingWatch* const outer_;
    std::optional<Pending> found_;
    bool has_effects_ = false;
};

}  // namespace belfry
