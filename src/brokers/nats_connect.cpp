#include "base/text/ascii.hpp"
#include "brokers/nats_handles.hpp"

namespace belfry::brokers {

namespace {

using Options = std::unique_ptr<natsOptions, DestroyWith<natsOptions, natsOptions_Destroy>>;
using StreamState = std::unique_ptr<jsStreamInfo, DestroyWith<jsStreamInfo, jsStreamInfo_Destroy>>;

// Runs the steps until one fails.
class Steps {
public:
    template <typename Call, typename... Arguments>
    Steps& then(Call call, Arguments... arguments) {
        if (status_ == NATS_OK) status_ = call(arguments...);
        return *this;
    }
    [[nodiscard]] natsStatus status() const { return status_; }

private:
    natsStatus status_ = NATS_OK;
};

natsStatus authenticate(natsOptions* made, const ConnectionOptions& options) {
    const std::string password(options.password.reveal());
    if (!options.user.empty()) return natsOptions_SetUserInfo(made, options.user.c_str(), password.c_str());
    return password.empty() ? NATS_OK : natsOptions_SetToken(made, password.c_str());
}

natsStatus secure(natsOptions* made, const ConnectionOptions& options) {
    if (!options.tls) return NATS_OK;
    Steps steps;
    steps.then(natsOptions_SetSecure, made, true).then(natsOptions_SetExpectedHostname, made, options.host.c_str());
    if (!options.authorities.empty())
        steps.then(natsOptions_LoadCATrustedCertificates, made, options.authorities.c_str());
    return steps.status();
}

std::string url_of(const ConnectionOptions& options) {
    const bool is_v6 = options.host.find(':') != std::string::npos;
    return (options.tls ? "tls://" : "nats://") + (is_v6 ? "[" + options.host + "]" : options.host) + ":" +
           std::to_string(options.port);
}

}  // namespace

Error nats_failure(natsStatus status) {
    if (status == NATS_CONNECTION_AUTH_FAILED)
        return unavailable("NATS rejected the user or the password: check the connection's URL");
    if (status == NATS_NO_SERVER) return unavailable("NATS cannot be reached: no server listens at its address");
    return unavailable(std::string("the connection to NATS failed: ") + natsStatus_GetText(status));
}

Result<NatsConnection> connect_nats(const ConnectionOptions& options, const Deadline& deadline) {
    natsOptions* raw = nullptr;
    if (const auto status = natsOptions_Create(&raw); status != NATS_OK) return nats_failure(status);
    const Options made(raw);
    Steps steps;
    steps.then(natsOptions_SetURL, raw, url_of(options).c_str())
        .then(natsOptions_SetName, raw, "belfry")
        .then(natsOptions_SetTimeout, raw, std::max<std::int64_t>(deadline.left().count(), 1))
        .then(natsOptions_SetWriteDeadline, raw, std::int64_t{options.operation_timeout.count()})
        .then(natsOptions_SetAllowReconnect, raw, false)
        .then(natsOptions_SetIgnoreDiscoveredServers, raw, true)
        .then([&] { return authenticate(raw, options); })
        .then([&] { return secure(raw, options); });
    natsConnection* connection = nullptr;
    steps.then(natsConnection_Connect, &connection, raw);
    if (steps.status() != NATS_OK) return nats_failure(steps.status());
    return NatsConnection(connection);
}

Result<void> ensure_stream(natsConnection* connection, const NatsOptions& options, const Deadline& deadline) {
    jsOptions wait;
    jsOptions_Init(&wait);
    wait.Wait = std::max<std::int64_t>(deadline.left().count(), 1);
    jsCtx* raw = nullptr;
    if (const auto status = natsConnection_JetStream(&raw, connection, &wait); status != NATS_OK)
        return nats_failure(status);
    const JetStream stream(raw);

    jsStreamInfo* found = nullptr;
    auto status = js_GetStreamInfo(&found, raw, options.stream.c_str(), nullptr, nullptr);
    StreamState state(found);
    if (status == NATS_OK) return {};
    if (status == NATS_NO_RESPONDERS) return unavailable("NATS has no JetStream: start it with JetStream enabled");
    if (status != NATS_NOT_FOUND) return nats_failure(status);
    if (!options.create)
        return unavailable("the stream " + options.stream +
                           " is missing in NATS: create it, or set the option create to true");

    // Work-queue retention: an acknowledged task is no longer needed. Otherwise the stream would only ever grow.
    const auto subjects = options.prefix + ".>";
    const char* subject = subjects.c_str();
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = options.stream.c_str();
    config.Subjects = &subject;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.Duplicates = std::chrono::nanoseconds(options.duplicate_window).count();
    status = js_AddStream(nullptr, raw, &config, nullptr, nullptr);
    if (status == NATS_OK) return {};
    const char* reason = nats_GetLastError(nullptr);
    return unavailable("the stream " + options.stream + " cannot be created in NATS: " +
                       visible(reason != nullptr ? reason : natsStatus_GetText(status)));
}

}  // namespace belfry::brokers
