// Lists with pages, and single resources; once or, with --watch, again and again.
#pragma once

#include "app/client/session.hpp"

namespace belfry::app {

struct Listed {
    boost::json::array items;
    bool more = false;  // the server has further ones
};

// Reads pages of the list at `path`, at most `most` items; 0 is all.
[[nodiscard]] Result<Listed> read_list(const Session& session, const std::string& path, std::size_t most);

// Prints the list at `path` with the verb's columns. Reads --limit, --all and --watch.
[[nodiscard]] Result<ExitCode> list(Session& session, const std::string& path);

// Prints the resource at `path` with the verb's columns.
[[nodiscard]] Result<ExitCode> show(Session& session, const std::string& path);

// The flags of every list.
extern const Flag kLimitFlag;
extern const Flag kAllFlag;
extern const Flag kWatchFlag;

}  // namespace belfry::app
