// A text that must not be seen: it has no way into a stream, a log line or JSON, and it is wiped when it goes. Whoever needs
// the text itself has to say reveal(), which is easy to search for.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace belfry {

class Secret {
public:
    Secret() = default;
    // Takes a copy; what is left of the caller's own text is wiped.
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

    std::vector<char> bytes_;  // no std::string: moving a short one leaves a copy behind
};

// Takes the same time for any two texts of one length. Two empty ones are not the same: nothing is no secret.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

}  // namespace belfry
