// Functions that stop in the middle and go on later, on one thread: what makes every server's step interruptible at
// each of its calls to the store. Deterministic; nothing here knows what a simulation is.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace belfry::sim {

class Fibers;

class Fiber {
public:
    // What suspend() throws in a fiber that is to end: its stack is unwound and everything it held is released.
    struct Killed {};

    [[nodiscard]] bool finished() const { return finished_; }

private:
    friend class Fibers;

    ucontext_t context_ = {};  // where it begins
    jmp_buf place_ = {};       // where it goes on
    bool begun_ = false;
    std::byte* stack_ = nullptr;
    std::function<void()> body_;
    bool finished_ = false;
    bool killed_ = false;
    void* shadow_ = nullptr;  // what a sanitizer keeps for the fiber
};

// Makes fibers, runs them and keeps their stacks for the next. Everything but suspend() is called from outside the
// fibers.
class Fibers {
public:
    Fibers() = default;
    ~Fibers();
    Fibers(const Fibers&) = delete;
    Fibers& operator=(const Fibers&) = delete;

    // `body` begins with the first resume. It may throw Killed and nothing else.
    [[nodiscard]] std::unique_ptr<Fiber> make(std::function<void()> body);

    // Until it suspends or is finished. REQUIRES: not finished.
    void resume(Fiber& fiber);
    // Unwinds it. Finished afterwards.
    void kill(Fiber& fiber);

    // From inside the fiber that runs.
    void suspend();
    [[nodiscard]] const Fiber* current() const { return current_; }

private:
    static void enter(unsigned high, unsigned low);
    // Both ways of changing the stack. A context is entered once: swapcontext asks the kernel about signals every time.
    void go_inside(Fiber& fiber);
    void go_outside(Fiber& fiber);
    void run(Fiber& fiber);

    [[nodiscard]] std::byte* take_stack();

    jmp_buf outside_ = {};
    Fiber* current_ = nullptr;
    std::vector<std::byte*> free_;
    const void* outside_stack_ = nullptr;
    std::size_t outside_size_ = 0;
    void* outside_shadow_ = nullptr;
};

}  // namespace belfry::sim
