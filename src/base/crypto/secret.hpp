// A text that must not be shown: it cannot be written to a stream, a log line or JSON, and it is wiped on destruction.
// Code that needs the text must call reveal(), which is easy to search for.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace belfry {

class Secret {
public:
    Secret() = default;
    // Copies the text and wipes the argument.
    explicit Secret(std::string text);
    ~Secret();
    Secret(Secret&&) noexcept = default;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;

    [[nodiscard]] std::string_view reveal() const { return {bytes_.data(), bytes_.size()}; }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

    friend std::ostream& operator<<(std::ostream&, const Secret&) = delete;
    friend bool operator==(const Secret&, const Secret&) = delete;  // compare with same_secret

private:
    void wipe();

    std::vector<char> bytes_;  // not a std::string, because moving a short one leaves a copy behind
};

// Constant time for texts of the same length. Two empty texts are not equal, because an empty text is no secret.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

}  // namespace belfry
