// belfry audit verify: verifies audit chains, on a server and in archive files.
#include <zlib.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/client/server_flags.hpp"
#include "base/crypto/sha256.hpp"
#include "engine/audit/archive_verifier.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kLineMax = std::size_t{64} << 20U;  // bytes; an event is much shorter
constexpr std::chrono::minutes kPatience{2};              // for one request, which verifies thousands of events

struct AuditFlags {
    ServerFlags server;
    std::string schedule;
    std::vector<std::string> files;
    bool join = false;
    Format format = Format::table;
};

// What was verified, and the first break.
struct Verdict {
    std::int64_t events = 0;
    std::int64_t schedules = 0;
    std::string broken_in = {};  // the file; empty: the store
    Json broken = nullptr;       // as the server writes it
};

Json break_json(const std::string& schedule_id, const model::ChainBreak& broken) {
    const auto hash = [](const model::ChainHash& bytes) { return bytes.empty() ? Json(nullptr) : Json(to_hex(bytes)); };
    return boost::json::object{{"scheduleId", schedule_id},
                               {"sequence", broken.sequence},
                               {"problem", broken.problem},
                               {"expectedHash", hash(broken.expected)},
                               {"foundHash", hash(broken.found)}};
}

struct CloseGzip {
    void operator()(gzFile file) const { ::gzclose(file); }
};

// Calls `take` with every line of a file, compressed or not, until it returns false.
template <typename Take>
Result<void> read_lines(const std::string& path, const Take& take) {
    const std::unique_ptr<gzFile_s, CloseGzip> file(::gzopen(path.c_str(), "rb"));
    if (!file) return Error{ErrorCode::not_found, "cannot read the file " + path};
    std::array<char, 65'536> piece{};
    std::string line;
    for (std::int64_t number = 1;; ++number) {
        line.clear();
        do {
            if (::gzgets(file.get(), piece.data(), static_cast<int>(piece.size())) == nullptr) break;
            line += piece.data();
            if (line.size() > kLineMax) return invalid(path + ": line " + std::to_string(number) + " is too long");
        } while (!line.ends_with('\n'));
        int code = Z_OK;
        const char* const message = ::gzerror(file.get(), &code);
        if (code != Z_OK && code != Z_STREAM_END)
            return Error{ErrorCode::corrupt,
                         path + " is damaged: " + (code == Z_BUF_ERROR ? "its end is missing" : message)};
        if (line.empty()) return {};
        if (line.ends_with('\n')) line.pop_back();
        const auto archived = model::parse_archive_line(line);
        if (!archived) {
            return Error{ErrorCode::corrupt,
                         path + ", line " + std::to_string(number) + ": " + archived.error().message};
        }
        if (!take(*archived)) return {};
    }
}

Result<void> verify_files(const std::vector<std::string>& files, engine::ArchiveVerifier& verifier, Verdict& verdict) {
    for (const auto& path : files) {
        auto read = read_lines(path, [&](const model::ArchivedEvent& archived) {
            const auto broken = verifier.add(archived);
            if (broken) {
                verdict.broken = break_json(archived.schedule_id, *broken);
                verdict.broken_in = path;
            }
            return !broken;
        });
        if (!read) return read;
        if (!verdict.broken.is_null()) break;
    }
    verdict.events = static_cast<std::int64_t>(verifier.events());
    verdict.schedules = static_cast<std::int64_t>(verifier.schedules());
    if (const auto gap = verdict.broken.is_null() ? verifier.find_gap() : std::nullopt) {
        verdict.broken = break_json(gap->first, gap->second);
        verdict.broken_in = "the files";
    }
    return {};
}

// Members of the server's response. A response without them is not from a Belfry server.
const Json* member(const Json& answer, std::string_view name) {
    return answer.is_object() ? answer.get_object().if_contains(name) : nullptr;
}
std::int64_t number_in(const Json& answer, std::string_view name) {
    const auto* const found = member(answer, name);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}
std::string text_in(const Json& answer, std::string_view name) {
    const auto* const found = member(answer, name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// Whether the chains of a response continue the archive.
std::optional<Json> find_loose(const Json& answer, const engine::ArchiveVerifier& verifier) {
    const auto* const points = member(answer, "checkpoints");
    if (points == nullptr || !points->is_array()) return std::nullopt;
    for (const auto& point : points->get_array()) {
        const auto id = text_in(point, "scheduleId");
        const auto hash = model::parse_chain_hash(text_in(point, "hash"));
        if (const auto broken =
                verifier.check_join(id, {number_in(point, "sequence"), hash ? *hash : model::ChainHash()}))
            return break_json(id, *broken);
    }
    return std::nullopt;
}

Result<void> verify_server(const AuditFlags& flags, const engine::ArchiveVerifier* archive, Verdict& verdict) {
    const auto server = connect(flags.server, process_environment());
    if (!server) return server.error();
    auto path = "/api/tenants/" + api::percent_encode((*server)->tenant) + "/audit/verify";
    if (!flags.schedule.empty()) path += "?schedule=" + api::percent_encode(flags.schedule);
    const std::string more = flags.schedule.empty() ? "?cursor=" : "&cursor=";
    verdict.schedules = 0;  // those of an archive are among the server's
    std::string cursor;
    do {
        const auto answer =
            (*server)->client.get({.path = cursor.empty() ? path : path + more + cursor, .timeout = kPatience});
        if (!answer) return answer.error();
        verdict.events += number_in(*answer, "events");
        verdict.schedules += number_in(*answer, "schedules");
        if (const auto* const broken = member(*answer, "break"); broken != nullptr) verdict.broken = *broken;
        if (archive != nullptr && verdict.broken.is_null())
            verdict.broken = find_loose(*answer, *archive).value_or(nullptr);
        cursor = text_in(*answer, "nextCursor");
    } while (!cursor.empty() && verdict.broken.is_null());
    return {};
}

ExitCode print(const AuditFlags& flags, const Verdict& verdict, const Console& console) {
    const bool intact = verdict.broken.is_null();
    if (flags.format != Format::table) {
        console.out() << to_text(boost::json::object{{"verified", intact},
                                                     {"events", verdict.events},
                                                     {"schedules", verdict.schedules},
                                                     {"break", verdict.broken}})
                      << '\n';
    } else if (intact) {
        console.out() << "verified " << verdict.events << " events of " << verdict.schedules << " schedules\n";
    } else {
        const auto or_none = [](const std::string& hash) { return hash.empty() ? std::string("none") : hash; };
        console.out() << "broken: schedule " << text_in(verdict.broken, "scheduleId")
                      << (verdict.broken_in.empty() ? "" : " in " + verdict.broken_in) << ": "
                      << text_in(verdict.broken, "problem") << "\n  sequence " << number_in(verdict.broken, "sequence")
                      << "\n  expected " << or_none(text_in(verdict.broken, "expectedHash")) << "\n  found    "
                      << or_none(text_in(verdict.broken, "foundHash")) << '\n';
    }
    return intact ? ExitCode::ok : ExitCode::differs;
}

ExitCode verify(const AuditFlags& flags, const Console& console) {
    if (flags.join && flags.files.empty()) return console.fail(invalid("--join needs the archive: add --file FILE…"));
    if (!flags.files.empty() && !flags.join && !flags.schedule.empty())
        return console.fail(invalid("--schedule is for the server: remove it, or add --join"));
    Verdict verdict;
    engine::ArchiveVerifier archive;
    Result<void> done = verify_files(flags.files, archive, verdict);
    if (done && verdict.broken.is_null() && (flags.files.empty() || flags.join))
        done = verify_server(flags, flags.join ? &archive : nullptr, verdict);
    if (!done) {
        [[maybe_unused]] const auto usual = console.fail(done.error());
        return exit_code_of(done.error());
    }
    return print(flags, verdict, console);
}

}  // namespace

void add_audit_verify(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand(
        "verify",
        "Verify the audit chains of a tenant: every event's hash, no gaps, and the end of each chain. Exit code 3: a\n"
        "chain is broken.");
    command->footer(
        "  belfry audit verify\n"
        "  belfry audit verify --schedule nightly-report --url https://belfry.example\n"
        "  belfry audit verify --file archive/events-2026-*.jsonl.gz\n"
        "  belfry audit verify --join --file archive/*.jsonl.gz");
    const auto flags = std::make_shared<AuditFlags>();
    command->add_option("--schedule", flags->schedule, "Id or name of the only schedule to verify [all]")
        ->type_name("NAME");
    command->add_option("--file", flags->files, "Verify these archive files, without a server")->type_name("FILE");
    command->add_flag("--join", flags->join,
                      "With --file: also verify the server's chains, and that they continue the files");
    add_server_flags(*command, flags->server, "viewer");
    add_format(*command, flags->format);
    command->callback(
        [flags, &chosen] { chosen.action = [flags](const Console& console) { return verify(*flags, console); }; });
}

}  // namespace belfry::app
