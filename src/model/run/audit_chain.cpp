#include "model/run/audit_chain.hpp"

#include <boost/json/object.hpp>
#include <limits>

#include "base/crypto/sha256.hpp"
#include "base/text/ascii.hpp"

namespace belfry::model {

namespace {

ChainBreak gap(const ChainPoint& point, std::int64_t found) {
    return {.sequence = point.sequence + 1,
            .problem = "event " + std::to_string(point.sequence + 1) + " is missing: event " + std::to_string(found) +
                       " follows event " + std::to_string(point.sequence)};
}

constexpr std::size_t kHashBytes = 32;

// The members of one line, with the name of the first one that is wrong.
class LineReader {
public:
    explicit LineReader(const boost::json::object& object) : object_(object) {}

    std::string text(std::string_view name) {
        const auto* const found = object_.if_contains(name);
        if (found == nullptr || !found->is_string()) return fail(name), std::string();
        return std::string(found->get_string());
    }
    std::int64_t sequence(std::string_view name) {
        const auto* const found = object_.if_contains(name);
        const auto number = found != nullptr && found->is_int64() ? found->get_int64() : 0;
        if (number < 1 || number == std::numeric_limits<std::int64_t>::max()) fail(name);
        return number;
    }
    // A text that `parse` reads.
    template <typename Parse>
    auto parsed(std::string_view name, const Parse& parse) {
        auto value = parse(text(name));
        if (!value) fail(name);
        return value ? *value : std::decay_t<decltype(*value)>{};
    }
    [[nodiscard]] const std::string& wrong() const { return wrong_; }

private:
    void fail(std::string_view name) {
        if (wrong_.empty()) wrong_ = name;
    }
    const boost::json::object& object_;
    std::string wrong_;
};

}  // namespace

Result<ChainHash> parse_chain_hash(std::string_view text) {
    const auto refused = invalid("a hash has 64 hexadecimal digits");
    if (text.empty()) return ChainHash();
    if (text.size() != kHashBytes * 2) return refused;
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    ChainHash bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return refused;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::optional<ChainBreak> follow(ChainPoint& point, std::string_view schedule_id, const ChainedEvent& event) {
    if (event.sequence != point.sequence + 1) return gap(point, event.sequence);
    if (!is_event_type(event.type)) {
        return ChainBreak{.sequence = event.sequence,
                          .problem = "event " + std::to_string(event.sequence) + " has an unknown type",
                          .found = event.hash};
    }
    auto expected =
        chain_hash(point.hash, schedule_id,
                   {.sequence = event.sequence, .type = event.type, .recorded_at = event.recorded_at}, event.payload);
    if (expected != event.hash) {
        return ChainBreak{.sequence = event.sequence,
                          .problem = "event " + std::to_string(event.sequence) + " does not match its hash",
                          .expected = std::move(expected),
                          .found = event.hash};
    }
    point = {event.sequence, std::move(expected)};
    return std::nullopt;
}

std::optional<ChainBreak> check_end(const ChainPoint& point, const ChainPoint& end) {
    if (point == end) return std::nullopt;
    const auto last = std::to_string(end.sequence);
    if (point.sequence == end.sequence) {
        return ChainBreak{.sequence = end.sequence,
                          .problem = "the hash of event " + last + " differs from the end of the chain",
                          .expected = end.hash,
                          .found = point.hash};
    }
    return ChainBreak{.sequence = std::min(point.sequence, end.sequence) + 1,
                      .problem = "the chain should end with event " + last + ", but its last event is " +
                                 std::to_string(point.sequence),
                      .expected = end.hash,
                      .found = point.hash};
}

std::string archive_line(const ArchivedEvent& archived) {
    const auto& event = archived.event;
    return to_text(boost::json::object{{"tenant", archived.tenant},
                                       {"scheduleId", archived.schedule_id},
                                       {"sequence", event.sequence},
                                       {"type", name_of(event.type)},
                                       {"recordedAt", format_instant(event.recorded_at)},
                                       {"payload", event.payload},
                                       {"previousHash", to_hex(archived.previous)},
                                       {"hash", to_hex(event.hash)}});
}

Result<ArchivedEvent> parse_archive_line(std::string_view line) {
    const auto json = parse_json(line, {.bytes_max = line.size()});
    if (!json) return json.error();
    const auto* const object = json->if_object();
    if (object == nullptr) return invalid("a line of an archive is a JSON object");
    LineReader reader(*object);
    ArchivedEvent archived{
        .tenant = reader.text("tenant"), .schedule_id = reader.text("scheduleId"), .previous = {}, .event = {}};
    auto& event = archived.event;
    event.sequence = reader.sequence("sequence");
    event.type = reader.parsed("type", &parse_event_type);
    event.recorded_at = reader.parsed("recordedAt", &parse_instant);
    event.payload = reader.text("payload");
    archived.previous = reader.parsed("previousHash", &parse_chain_hash);
    event.hash = reader.parsed("hash", &parse_chain_hash);
    if (!reader.wrong().empty()) return invalid("the member " + reader.wrong() + " of the line is missing or invalid");
    return archived;
}

}  // namespace belfry::model
