#include "brokers/connection_options.hpp"

#include <array>

#include "base/errors.hpp"
#include "base/text/ascii.hpp"
#include "base/text/enum_names.hpp"
#include "base/text/parse_integer.hpp"
#include "brokers/connection_url.hpp"
#include "brokers/option_reader.hpp"

namespace belfry::brokers {

namespace {

constexpr std::array kKindNames{EnumName{BrokerKind::redis, "redis"}, EnumName{BrokerKind::rabbitmq, "rabbitmq"},
                                EnumName{BrokerKind::nats, "nats"}};

struct Scheme {
    std::string_view name;
    BrokerKind kind;
    bool tls;
    std::uint16_t port;
};
constexpr std::array kSchemes{
    Scheme{"redis", BrokerKind::redis, false, 6'379},   Scheme{"rediss", BrokerKind::redis, true, 6'379},
    Scheme{"amqp", BrokerKind::rabbitmq, false, 5'672}, Scheme{"amqps", BrokerKind::rabbitmq, true, 5'671},
    Scheme{"nats", BrokerKind::nats, false, 4'222},     Scheme{"tls", BrokerKind::nats, true, 4'222}};

// The path of the URL: `/2` is a Redis database, `/%2F` a RabbitMQ vhost.
Result<void> set_path(ConnectionOptions& made, const std::string& path) {
    switch (made.kind()) {
        case BrokerKind::redis: {
            const auto number = path.empty() ? std::int64_t{0} : parse_integer(path);
            if (!number || *number < 0)
                return invalid("the database " + in_quotes(path) +
                               " of Redis is not a number: write it as redis://host:6379/0");
            std::get<RedisOptions>(made.of_kind).database = *number;
            return {};
        }
        case BrokerKind::rabbitmq:
            if (!path.empty()) std::get<RabbitmqOptions>(made.of_kind).vhost = path;
            return {};
        case BrokerKind::nats:
            return path.empty() ? Result<void>()
                                : Result<void>(invalid("a NATS URL has no path: remove " + in_quotes(path)));
    }
    return {};
}

void set_credentials(ConnectionOptions& made, ConnectionUrl& url, Secret password) {
    made.user = std::move(url.user);
    made.password = url.password.empty() ? std::move(password) : std::move(url.password);
    if (made.kind() == BrokerKind::nats && made.password.empty()) made.password = Secret(std::exchange(made.user, {}));
    // RabbitMQ's built-in user, which it accepts only from the same machine.
    if (made.kind() == BrokerKind::rabbitmq && made.user.empty() && made.password.empty()) {
        made.user = "guest";
        made.password = Secret("guest");
    }
}

void read(OptionReader& reader, RedisOptions& options) {
    reader.name("stream", options.stream);
    if (std::int64_t most = 0; reader.integer("maxLength", most, 1)) options.max_length = most;
}

void read(OptionReader& reader, RabbitmqOptions& options) {
    reader.name("exchange", options.exchange);
    reader.flag("create", options.create);
}

void read(OptionReader& reader, NatsOptions& options) {
    reader.word("stream", options.stream, "");
    reader.word("prefix", options.prefix, ".");
    reader.flag("create", options.create);
    reader.duration("duplicateWindow", options.duplicate_window, std::chrono::milliseconds{100},
                    std::chrono::hours{24 * 7});
}

constexpr std::chrono::milliseconds kTimeoutMin{100};
constexpr std::chrono::milliseconds kTimeoutMax{std::chrono::minutes{5}};

Result<void> read_options(const boost::json::object& options, ConnectionOptions& made) {
    OptionReader reader(options);
    std::visit([&](auto& of_kind) { read(reader, of_kind); }, made.of_kind);
    reader.duration("connectTimeout", made.connect_timeout, kTimeoutMin, kTimeoutMax);
    reader.duration("operationTimeout", made.operation_timeout, kTimeoutMin, kTimeoutMax);
    reader.name("authorities", made.authorities);
    return reader.finish();
}

}  // namespace

std::string_view name_of(BrokerKind kind) { return canonical_name<BrokerKind>(kKindNames, kind); }

Result<ConnectionOptions> parse_connection(std::string_view url, const boost::json::object& options, Secret password) {
    auto parsed = parse_connection_url(url);
    if (!parsed) return in_field(parsed.error(), "/url");
    const auto scheme = std::ranges::find(kSchemes, std::string_view(parsed->scheme), &Scheme::name);
    if (scheme == kSchemes.end())
        return in_field(invalid("the scheme " + in_quotes(parsed->scheme) +
                                " belongs to no broker: use redis, amqp, amqps, nats or tls"),
                        "/url");

    ConnectionOptions made;
    if (scheme->kind == BrokerKind::rabbitmq) made.of_kind = RabbitmqOptions{};
    if (scheme->kind == BrokerKind::nats) made.of_kind = NatsOptions{};
    made.tls = scheme->tls;
    made.host = parsed->host;
    made.port = parsed->port.value_or(scheme->port);
    set_credentials(made, *parsed, std::move(password));

    Errors errors;
    if (auto set = set_path(made, parsed->path); !set) errors.push_back(in_field(set.error(), "/url"));
    if (auto set = read_options(options, made); !set) errors.push_back(in_field(set.error(), "/options"));
    if (auto wrong = together_if_any(std::move(errors))) return *wrong;
    return made;
}

std::string describe(const ConnectionOptions& options) {
    const auto scheme = std::ranges::find_if(
        kSchemes, [&](const Scheme& each) { return each.kind == options.kind() && each.tls == options.tls; });
    const bool is_v6 = options.host.find(':') != std::string::npos;
    auto text = std::string(scheme->name) + "://" + (options.user.empty() ? "" : visible(options.user) + "@") +
                (is_v6 ? "[" + options.host + "]" : options.host) + ":" + std::to_string(options.port);
    if (const auto* redis = std::get_if<RedisOptions>(&options.of_kind)) text += "/" + std::to_string(redis->database);
    if (const auto* rabbitmq = std::get_if<RabbitmqOptions>(&options.of_kind); rabbitmq && rabbitmq->vhost != "/")
        text += "/" + visible(rabbitmq->vhost);
    return text;
}

}  // namespace belfry::brokers
