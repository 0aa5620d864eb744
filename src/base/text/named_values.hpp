// Values by name for the labels of metrics, created on first use. Names beyond the limit share one value called
// "other". Lock-free and thread-safe. Nothing is removed, so references stay valid.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belfry {

inline constexpr const char* kOtherNames = "other";

template <typename Value>
class NamedValues {
public:
    explicit NamedValues(std::size_t most) : most_(most), slots_(std::bit_ceil(2 * most + 1)) {}
    ~NamedValues() {
        for (auto& slot : slots_) delete slot.load();
    }
    NamedValues(const NamedValues&) = delete;
    NamedValues& operator=(const NamedValues&) = delete;

    [[nodiscard]] Value& of(std::string_view name) {
        // The real name "other" must not create a second value of that name.
        if (name == kOtherNames) return other();
        const auto mask = slots_.size() - 1;
        std::unique_ptr<Entry> made;
        // At most half of the slots are used, so a free slot ends the search.
        for (auto at = std::hash<std::string_view>()(name) & mask;; at = (at + 1) & mask) {
            auto* entry = slots_[at].load(std::memory_order_acquire);
            if (entry == nullptr) {
                if (!made) {
                    if (size_.load(std::memory_order_relaxed) >= most_) return other();
                    if (size_.fetch_add(1) >= most_) {
                        size_.fetch_sub(1);
                        return other();
                    }
                    made = std::make_unique<Entry>(std::string(name));
                }
                if (slots_[at].compare_exchange_strong(entry, made.get(), std::memory_order_acq_rel))
                    return made.release()->value;
            }
            if (entry->name != name) continue;
            if (made) size_.fetch_sub(1);
            return entry->value;
        }
    }

    // Calls `call` with every name and value; with "other" only if it was used.
    template <typename Each>
    void each(const Each& call) const {
        for (const auto& slot : slots_) {
            if (const auto* const entry = slot.load(std::memory_order_acquire)) call(entry->name, entry->value);
        }
        if (other_met_.load(std::memory_order_relaxed)) call(std::string(kOtherNames), other_);
    }

private:
    struct Entry {
        explicit Entry(std::string called) : name(std::move(called)) {}
        const std::string name;
        Value value;
    };

    Value& other() {
        other_met_.store(true, std::memory_order_relaxed);
        return other_;
    }

    const std::size_t most_;
    std::vector<std::atomic<Entry*>> slots_;
    std::atomic<std::size_t> size_ = 0;
    Value other_;
    std::atomic<bool> other_met_ = false;
};

}  // namespace belfry
