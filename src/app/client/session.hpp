// One command that calls a server: its values, the calls, and what it prints. Errors name the flag that caused them.
#pragma once

#include "app/client/json_view.hpp"
#include "app/client/moment_words.hpp"
#include "app/client/server_flags.hpp"
#include "app/client/verb.hpp"

namespace belfry::app {

class Session {
public:
    Session(const Console& console, ServerConnection& server, const Noun& noun, const Verb& verb, const Values& values,
            Format format)
        : console_(console), server_(server), noun_(noun), verb_(verb), values_(values), format_(format) {}

    // Runs the verb, prints its error, and returns the exit code.
    [[nodiscard]] ExitCode run();

    [[nodiscard]] const Console& console() const { return console_; }
    [[nodiscard]] std::ostream& out() const { return console_.out(); }
    [[nodiscard]] ServerConnection& server() const { return server_; }
    [[nodiscard]] const Noun& noun() const { return noun_; }
    [[nodiscard]] const Verb& verb() const { return verb_; }
    [[nodiscard]] const Values& values() const { return values_; }
    [[nodiscard]] Format format() const { return format_; }
    [[nodiscard]] bool for_people() const { return format_ == Format::table || format_ == Format::wide; }
    [[nodiscard]] Instant now() const { return console_.now(); }

    // The zone of that name, or UTC if this machine does not know it.
    [[nodiscard]] spec::ZonePtr zone(const std::string& name) const;
    // The zone of the flag --tz, or UTC.
    [[nodiscard]] Result<spec::ZonePtr> zone_flag() const;

    // The path of the API: `…` becomes the tenant's path, `{NAME}` the argument or `name`, escaped.
    [[nodiscard]] std::string path(std::string_view pattern, const std::string& name = {}) const;
    [[nodiscard]] Result<Json> get(const std::string& path) const;
    [[nodiscard]] Result<Json> change(const std::string& method, const std::string& path, const Json& body = {}) const;

    // The members that the flags set, and the parameters: `?a=b&c=d`, or empty.
    [[nodiscard]] Result<Json> body() const;
    [[nodiscard]] Result<std::string> query() const;
    // A flag of the kind `moment`, in that zone.
    [[nodiscard]] Result<Instant> moment(const std::string& flag, const spec::Zone& zone, Direction direction) const;

    // The reason that --reason gives, as the body of a request.
    [[nodiscard]] Json reason_body() const;

    // Prints one error, with the flags that it is about.
    void print_error(const Error& error) const;

private:
    [[nodiscard]] Result<ExitCode> request();

    const Console& console_;
    ServerConnection& server_;
    const Noun& noun_;
    const Verb& verb_;
    const Values& values_;
    const Format format_;
};

// JSON or YAML from a flag: the text itself, or the file after `@`.
[[nodiscard]] Result<Json> read_value(const std::string& text);
// JSON or YAML from a file; `-` is the standard input.
[[nodiscard]] Result<Json> read_document(const std::string& path);

}  // namespace belfry::app
