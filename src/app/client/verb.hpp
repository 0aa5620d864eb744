// The commands that call a server, as data: nouns with verbs, their arguments and flags, and the columns of what they
// print. Most verbs are a method and a path; the others have a function of their own.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "base/text/json.hpp"

namespace belfry::app {

class Session;

// How the value of a flag becomes JSON.
enum class Kind : std::uint8_t {
    text,
    number,        // a whole number
    yes,           // a flag without a value: true
    no,            // a flag without a value: false
    list,          // may be repeated: a list of texts
    json,          // JSON or YAML, or @FILE
    json_list,     // may be repeated: a list of such values
    pairs,         // may be repeated: KEY=VALUE, an object of texts
    moment,        // a time, as people type it
    past_moment,   // the same, where `monday` is the last one
    milliseconds,  // a duration, sent as a number
    words,         // one or two words; only a verb's own function reads it
};

struct Flag {
    const char* names;  // as CLI11 wants them: "-l,--label"
    const char* type;   // NAME, N, …; empty for a flag without a value
    const char* help;
    Kind kind = Kind::text;
    const char* to = "";     // `/spec/timezone`: a member of the body; `?status`: a parameter; empty: the verb reads it
    const char* group = "";  // the heading in the help; empty: "Options"
};

struct Argument {
    const char* name;
    const char* help;
    enum Count : std::uint8_t { one, optional, many, at_least_one } count = one;
    const char* to = "";  // a member of the body, as in Flag
};

// One column of a table. Without a function, the member at the pointer is the text.
struct Column {
    const char* heading;
    const char* pointer;
    std::string (*cell)(const Session& session, const Json& item) = nullptr;
    bool wide = false;  // with -o wide only
};
using Columns = std::vector<Column>;

using Handler = Result<ExitCode> (*)(Session& session);

struct Verb {
    const char* name;
    const char* help;
    const char* examples;
    const char* method;  // of the request; "LIST" for GET with pages
    const char* path;    // `{NAME}` is an argument, `…` the tenant's path
    std::vector<Argument> arguments = {};
    std::vector<Flag> flags = {};
    const Columns* columns = nullptr;  // of what the server returns; null: only a message
    const char* done = "";             // the message after a change: "Paused {NAME}."
    Handler handler = nullptr;         // instead of the request above
    const char* role = "viewer";       // that the caller's key needs
};

struct Noun {
    const char* name;
    const char* help;
    const char* examples;
    std::vector<Verb> verbs = {};
    std::vector<Noun> nouns = {};  // `schedule calendar`
    const char* key = "/name";     // what `-o name` prints
};

// The words after a command, by the names of flags and arguments.
struct Values {
    std::map<std::string, std::vector<std::string>> given;
    std::vector<std::string> program;  // the words after `--`

    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] std::string one(const std::string& name) const;  // the first; empty if there is none
    [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
};

// `--label` of "-l,--label".
[[nodiscard]] std::string long_name(const char* names);

// Adds one verb of the noun. Both must live as long as the program: constants.
void add_verb(CLI::App& parent, Chosen& chosen, const Noun& noun, const Verb& verb);
// Adds the noun with its verbs to the program. The noun must live as long as the program: a constant.
void add_noun(CLI::App& parent, Chosen& chosen, const Noun& noun);

}  // namespace belfry::app
