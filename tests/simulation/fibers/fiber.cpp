#include "simulation/fibers/fiber.hpp"

#include <sys/mman.h>

#include <cassert>
#include <cstdint>
#include <cstdlib>

#include "simulation/fibers/fiber_sanitizer.hpp"

namespace belfry::sim {

namespace {

constexpr std::size_t kStack =
    512 * 1024;  // untouched pages cost nothing; sanitizers make frames several times as large

}  // namespace

Fibers::~Fibers() {
    for (auto* const stack : free_) munmap(stack, kStack);
}

std::byte* Fibers::take_stack() {
    if (!free_.empty()) {
        auto* const stack = free_.back();
        free_.pop_back();
        return stack;
    }
    void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) std::abort();
    return static_cast<std::byte*>(stack);
}

std::unique_ptr<Fiber> Fibers::make(std::function<void()> body) {
    auto fiber = std::make_unique<Fiber>();
    fiber->body_ = std::move(body);
    fiber->stack_ = take_stack();
    fiber->shadow_ = make_shadow();
    getcontext(&fiber->context_);
    fiber->context_.uc_stack.ss_sp = fiber->stack_;
    fiber->context_.uc_stack.ss_size = kStack;
    fiber->context_.uc_link = nullptr;
    // makecontext passes nothing but ints.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&fiber->context_, reinterpret_cast<void (*)()>(&Fibers::enter), 2, static_cast<unsigned>(self >> 32U),
                static_cast<unsigned>(self & 0xFFFFFFFFU));
    return fiber;
}

void Fibers::enter(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<Fibers*>(static_cast<std::uintptr_t>(high) << 32U | low);
    entered_stack(nullptr, &self->outside_stack_, &self->outside_size_);
    self->run(*self->current_);
}

void Fibers::run(Fiber& fiber) {
    try {
        if (!fiber.killed_) fiber.body_();
    } catch (const Fiber::Killed&) {
    }
    fiber.body_ = nullptr;
    fiber.finished_ = true;
    leaving_stack(nullptr, outside_stack_, outside_size_, outside_shadow_);
    go_outside(fiber);
}

void Fibers::go_inside(Fiber& fiber) {
    if (_setjmp(outside_) != 0) return;
    if (fiber.begun_) _longjmp(fiber.place_, 1);
    fiber.begun_ = true;
    setcontext(&fiber.context_);
}

void Fibers::go_outside(Fiber& fiber) {
    if (_setjmp(fiber.place_) == 0) _longjmp(outside_, 1);
}

void Fibers::resume(Fiber& fiber) {
    assert(current_ == nullptr && !fiber.finished_);
    current_ = &fiber;
    outside_shadow_ = current_shadow();
    void* kept = nullptr;
    leaving_stack(&kept, fiber.stack_, kStack, fiber.shadow_);
    go_inside(fiber);
    entered_stack(kept, nullptr, nullptr);
    current_ = nullptr;
    if (!fiber.finished_) return;
    drop_shadow(fiber.shadow_);
    free_.push_back(fiber.stack_);
    fiber.stack_ = nullptr;
}

void Fibers::kill(Fiber& fiber) {
    fiber.killed_ = true;
    while (!fiber.finished_) resume(fiber);
}

void Fibers::suspend() {
    auto& fiber = *current_;
    void* kept = nullptr;
    leaving_stack(&kept, outside_stack_, outside_size_, outside_shadow_);
    go_outside(fiber);
    entered_stack(kept, &outside_stack_, &outside_size_);
    if (fiber.killed_) throw Fiber::Killed{};
}

}  // namespace belfry::sim
