// belfry event: follows the event stream of a tenant, and reports events to schedules.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/nouns.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kEventMax = std::size_t{4} << 20U;  // bytes of one event

// Server-sent events: lines `id:`, `event:` and `data:`, and an empty line after each event.
class EventReader {
public:
    explicit EventReader(Session& session, std::int64_t most) : session_(session), left_(most) {}

    // False when enough events were printed, or the output is closed.
    bool take(std::string_view piece) {
        pending_.append(piece);
        for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
            auto line = pending_.substr(0, end);
            pending_.erase(0, end + 1);
            if (line.ends_with('\r')) line.pop_back();
            if (!take_line(line)) return false;
        }
        return pending_.size() < kEventMax;
    }
    [[nodiscard]] const std::string& last_id() const { return id_; }

private:
    static std::string after_colon(const std::string& line) {
        const auto value = line.substr(line.find(':') + 1);
        return value.starts_with(' ') ? value.substr(1) : value;
    }

    bool take_line(const std::string& line) {
        if (line.starts_with("id:")) id_ = after_colon(line);
        if (line.starts_with("event:")) type_ = after_colon(line);
        if (line.starts_with("data:")) data_ += after_colon(line);
        if (!line.empty() || data_.empty()) return true;
        print();
        data_.clear();
        type_.clear();
        session_.out().flush();
        return session_.out().good() && (left_ == 0 || --left_ > 0);
    }

    void print() {
        const auto data = parse_json(data_, {.numbers = JsonNumbers::exact});
        if (!data) return;
        if (!session_.for_people()) {
            session_.out() << visible(to_text(boost::json::object{{"id", id_}, {"type", type_}, {"data", *data}}))
                           << '\n';
            return;
        }
        const auto first = [&](std::initializer_list<const char*> pointers) {
            for (const auto* const pointer : pointers) {
                if (auto text = text_at(*data, pointer); !text.empty()) return text;
            }
            return std::string();
        };
        auto line = first({"/happenedAt", "/timestamp", "/at", "/recordedAt"}) + "  " + type_;
        for (const auto& part :
             {first({"/data/scheduleName", "/scheduleName", "/data/name", "/data/scheduleId", "/scheduleId"}),
              first({"/data/runId", "/runId"}), first({"/data/reason", "/reason"})}) {
            if (!part.empty()) line += "  " + part;
        }
        session_.out() << visible(line) << '\n';
    }

    Session& session_;
    std::int64_t left_;  // 0: no limit
    std::string pending_;
    std::string id_;
    std::string type_;
    std::string data_;
};

// Follows the stream, and connects again where it ended.
Result<ExitCode> follow_events(Session& session) {
    constexpr std::chrono::hours kLongest{24};
    auto query = session.query();
    if (!query) return query.error();
    const auto most = session.values().one("--count");
    std::int64_t count = 0;
    if (!most.empty() &&
        (std::from_chars(most.data(), most.data() + most.size(), count).ec != std::errc{} || count < 1))
        return invalid("--count " + in_quotes(most) + ": use a whole number from 1 on");
    EventReader reader(session, count);
    bool ended = false;
    while (!ended) {
        const auto after = reader.last_id().empty() ? session.values().one("--after") : reader.last_id();
        auto path = session.path("…/events") + *query;
        if (!after.empty()) path += (query->empty() ? "?after=" : "&after=") + api::percent_encode(after);
        const auto done =
            session.server().client.stream({.path = path, .timeout = kLongest}, [&](std::string_view piece) {
                ended = !reader.take(piece);
                return !ended;
            });
        if (!done) return done.error();
        if (reader.last_id().empty()) break;
    }
    return ExitCode::ok;
}

const Columns kOutcomes{{"SCHEDULE", "/scheduleId"}, {"OUTCOME", "/outcome"}, {"RUN", "/runId"}, {"NOTE", "/detail"}};

Result<ExitCode> report_event(Session& session) {
    Json payload = boost::json::object();
    if (session.values().has("--payload")) {
        auto read = read_value(session.values().one("--payload"));
        if (!read) return invalid("--payload: " + read.error().message);
        payload = std::move(*read);
    }
    const auto query = session.query();
    if (!query) return query.error();
    const auto answer = session.change("POST", session.path("…/events/{NAME}") + *query, payload);
    if (!answer) return answer.error();
    if (print_for_programs(session, *answer)) return ExitCode::ok;
    print_table(session, kOutcomes, list_at(*answer, "/items"));
    if (list_at(*answer, "/items").empty()) session.console().note("no schedule waits for this event");
    return ExitCode::ok;
}

}  // namespace

const Noun& event_noun() {
    static const Noun kNoun{
        "event",
        "Follow the event stream, and report events",
        "  belfry event follow\n  belfry event report file-arrived --payload '{\"path\": \"/in/a.csv\"}'",
        {{.name = "follow",
          .help = "Print events as they happen",
          .examples = "  belfry event follow --type run.failed\n  belfry event follow --schedule backup -o jsonl",
          .method = "",
          .path = "",
          .flags = {{"--type", "TYPES", "Event types, such as run.failed or run.*", Kind::text, "?types"},
                    {"--schedule", "NAME", "Only events of this schedule", Kind::text, "?schedule"},
                    {"--after", "POSITION", "Start after this position [now]"},
                    {"-n,--count", "N", "End after this many events [never]"}},
          .handler = follow_events},
         {.name = "report",
          .help = "Report an event, which starts the schedules that wait for it",
          .examples = "  belfry event report file-arrived --payload '{\"path\": \"/in/a.csv\"}'",
          .method = "",
          .path = "",
          .arguments = {{"NAME", "Name of the event"}},
          .flags = {{"--payload", "JSON", "Payload: JSON, YAML or @FILE"},
                    {"--id", "ID", "Id of the event; repeating it has no effect", Kind::text, "?id"}},
          .handler = report_event,
          .role = "operator"}},
        {},
        "/id"};
    return kNoun;
}

}  // namespace belfry::app
