#include "store/postgres/postgres_address.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "store/postgres/postgres_error.hpp"

namespace belfry::store::postgres {

namespace {

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

struct FreeText {
    void operator()(char* text) const { PQfreemem(text); }
};

// libpq counts in seconds and treats 1 as 2.
std::string whole_seconds(std::chrono::milliseconds time) {
    return std::to_string(std::max<std::int64_t>(2, std::chrono::ceil<std::chrono::seconds>(time).count()));
}

}  // namespace

Result<Address> Address::parse(const sql::PostgresOptions& options) {
    const bool is_url = options.url.starts_with("postgres://") || options.url.starts_with("postgresql://");
    char* parse_error = nullptr;
    const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(PQconninfoParse(options.url.c_str(), &parse_error));
    const std::unique_ptr<char, FreeText> parse_error_owner(parse_error);
    if (!parsed) return invalid("the database's URL cannot be read: percent-encode special characters in the password");

    Address address;
    for (const auto* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        const std::string keyword = option->keyword;
        const std::string value = option->val;
        // An unencoded @ or / in the password moves the rest of it into a part that libpq's messages show.
        const bool shown = keyword == "host" || keyword == "dbname" || keyword == "port";
        if (is_url && shown && value.find('@') != std::string::npos) {
            return invalid("the database's URL is ambiguous: percent-encode special characters in the password");
        }
        if (keyword == "password") address.password_ = value;
        address.parameters_.emplace_back(keyword, value);
    }

    address.add_unless_there("application_name", "belfry");
    address.add_unless_there("connect_timeout", whole_seconds(options.connect_timeout));
    // A lost peer is noticed after 10 + 3 × 5 s while the client waits, and after 20 s while it sends.
    address.add_unless_there("keepalives_idle", "10");
    address.add_unless_there("keepalives_interval", "5");
    address.add_unless_there("keepalives_count", "3");
    address.add_unless_there("tcp_user_timeout", "20000");
    // Not a default but fixed: Belfry sends and reads only UTF-8.
    std::erase_if(address.parameters_, [](const auto& each) { return each.first == "client_encoding"; });
    address.parameters_.emplace_back("client_encoding", "UTF8");
    return address;
}

void Address::add_unless_there(const std::string& keyword, const std::string& value) {
    if (std::ranges::find(parameters_, keyword, &std::pair<std::string, std::string>::first) == parameters_.end()) {
        parameters_.emplace_back(keyword, value);
    }
}

// libpq does not print the password; this is a second line of defence. A password that equals the user's or the
// database's name is not worth hiding the reason for, and a very short one occurs in every sentence.
bool Address::tells_password(const std::string& text) const {
    constexpr std::size_t kTiny = 4;
    const auto elsewhere = [&](const auto& each) {
        return each.first != "password" && each.second.find(password_) != std::string::npos;
    };
    return password_.size() > kTiny && text.find(password_) != std::string::npos &&
           std::ranges::none_of(parameters_, elsewhere);
}

Result<ConnectionHandle> Address::connect() const {
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : parameters_) {
        keywords.push_back(keyword.c_str());
        values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    ConnectionHandle connection(PQconnectdbParams(keywords.data(), values.data(), 0));
    if (connection && PQstatus(connection.get()) == CONNECTION_OK) return connection;

    auto reason = connection ? complaint(*connection) : std::string("out of memory");
    if (tells_password(reason)) reason = "(hidden, because the reason contains the password)";
    return Error{ErrorCode::unavailable, "the database cannot be reached: " + reason};
}

}  // namespace belfry::store::postgres
