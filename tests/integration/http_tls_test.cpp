// TLS on real sockets: who may connect, what the handler hears of them, and what a wrong file is answered with.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <fstream>

#include "api/http/http_server.hpp"
#include "support/servers/tls_client.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::api {

namespace {

using namespace std::chrono_literals;
using test::Authority;
using test::HttpClient;
using test::TlsClient;

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& text : texts) all += text + ' ';
    return all;
}

class HttpTls : public ::testing::Test {
protected:
    HttpTls() {
        write("server.pem", certificate.certificate);
        write("server.key", certificate.key);
        write("clients.pem", clients.certificate());
    }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder.file(name)) << text; }

    [[nodiscard]] TlsOptions tls(ClientAuth auth = ClientAuth::none) const {
        return {folder.file("server.pem"), folder.file("server.key"),
                auth == ClientAuth::none ? "" : folder.file("clients.pem"), auth};
    }

    // Answers with who the client is.
    void start(HttpServerOptions options) {
        options.listen = "127.0.0.1:0";
        server = std::make_unique<HttpServer>(
            [](const Request& request) -> Response {
                return {200, {}, request.peer + ' ' + joined(request.certificate_names) + request.body};
            },
            std::move(options));
        const auto started = server->start();
        ASSERT_TRUE(started) << started.error().message;
    }

    // What starting with these answers.
    static std::string refusal(const TlsOptions& options) {
        const auto started =
            HttpServer([](const Request&) { return Response{}; }, {.listen = "127.0.0.1:0", .tls = options}).start();
        return started ? "started" : started.error().message;
    }

    test::TempFolder folder;
    Authority authority{"servers"};
    Authority clients{"clients"};
    test::Certificate certificate = authority.issue("DNS:localhost");
    std::unique_ptr<HttpServer> server;
};

}  // namespace

TEST_F(HttpTls, AnswersOverTheNewestVersionAndTellsBrowsersToStayWithIt) {
    start({.tls = tls()});
    TlsClient client(server->port(), {authority.certificate()});
    ASSERT_TRUE(client.is_connected());
    EXPECT_EQ(client.version(), "TLSv1.3");
    const auto answer = client.request("POST", "/", "hello");
    EXPECT_EQ(answer.body, "127.0.0.1 hello");
    EXPECT_EQ(answer.header("Strict-Transport-Security"), "max-age=31536000");
    EXPECT_EQ(client.request("GET", "/").status, 200) << "the connection goes on";
}

TEST_F(HttpTls, LargeBodiesPassBothWays) {
    start({.tls = tls()});
    TlsClient client(server->port(), {authority.certificate()});
    const std::string large(1'000'000, 'x');
    EXPECT_EQ(client.request("POST", "/", large).body, "127.0.0.1 " + large);
}

TEST_F(HttpTls, VersionsBefore12AreRefused) {
    start({.tls = tls()});
    EXPECT_TRUE(TlsClient(server->port(), {authority.certificate(), {}, TLS1_2_VERSION}).is_connected());
    EXPECT_FALSE(TlsClient(server->port(), {authority.certificate(), {}, TLS1_1_VERSION}).is_connected());
}

TEST_F(HttpTls, WhoSpeaksPlainHttpIsClosed) {
    start({.tls = tls()});
    HttpClient client(server->port());
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_FALSE(client.read_answer());
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate()}).request("GET", "/").status, 200);
}

TEST_F(HttpTls, AHandshakeThatTakesTooLongIsClosedAndCountsAsAConnection) {
    start({.connections_max = 1, .handshake_timeout = 100ms, .tls = tls()});
    HttpClient silent(server->port());
    HttpClient second(server->port());
    EXPECT_TRUE(second.is_closed_by_peer());
    EXPECT_TRUE(silent.is_closed_by_peer());
    while (!TlsClient(server->port(), {authority.certificate()}).is_connected()) std::this_thread::yield();
}

TEST_F(HttpTls, RequiredMeansThatOnlyCertificatesOfTheAuthorityConnect) {
    start({.tls = tls(ClientAuth::required)});
    const auto good = clients.issue("DNS:worker-1,URI:spiffe://belfry/worker,email:ada@example.org,IP:10.0.0.1");
    TlsClient known(server->port(), {authority.certificate(), good});
    EXPECT_EQ(known.request("GET", "/").body,
              "127.0.0.1 DNS:worker-1 URI:spiffe://belfry/worker email:ada@example.org ");
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate()}).request("GET", "/").status, 0)
        << "without a certificate";
    const auto strange = Authority("clients").issue("DNS:worker-1");  // of the same name, with another key
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate(), strange}).request("GET", "/").status, 0)
        << "of somebody else's authority";
}

TEST_F(HttpTls, OptionalLetsInWhoShowsNothingButNobodyWhoShowsSomethingWrong) {
    start({.tls = tls(ClientAuth::optional)});
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate()}).request("GET", "/").body, "127.0.0.1 ");
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate(), clients.issue("DNS:a")}).request("GET", "/").body,
              "127.0.0.1 DNS:a ");
    EXPECT_EQ(
        TlsClient(server->port(), {authority.certificate(), Authority("x").issue("DNS:a")}).request("GET", "/").status,
        0);
}

TEST_F(HttpTls, ACertificateThatNobodyAskedForSaysNothing) {
    start({.tls = tls()});
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate(), clients.issue("DNS:a")}).request("GET", "/").body,
              "127.0.0.1 ");
}

TEST_F(HttpTls, NewFilesServeNewConnectionsAndWrongOnesChangeNothing) {
    start({.tls = tls()});
    TlsClient before(server->port(), {authority.certificate()});
    const auto renewed = authority.issue("DNS:localhost");
    write("server.pem", renewed.certificate);
    EXPECT_NE(server->reload().error().message.find("server.key: no key for "), std::string::npos)
        << "half of it is written";
    EXPECT_EQ(TlsClient(server->port(), {authority.certificate()}).server_serial(), before.server_serial());
    write("server.key", renewed.key);
    ASSERT_TRUE(server->reload());
    EXPECT_EQ(before.request("GET", "/").status, 200) << "the old connection goes on";
    TlsClient after(server->port(), {authority.certificate()});
    EXPECT_TRUE(after.is_connected());
    EXPECT_NE(after.server_serial(), before.server_serial());
}

TEST_F(HttpTls, AFileThatIsWrongIsNamedWithTheReason) {
    auto options = tls(ClientAuth::required);
    options.certificate_file = folder.file("nowhere.pem");
    EXPECT_EQ(refusal(options), "TLS: " + folder.file("nowhere.pem") + ": No such file or directory");

    write("empty", "");
    options = tls();
    options.key_file = folder.file("empty");
    EXPECT_EQ(refusal(options), "TLS: " + folder.file("empty") + ": the file is empty");

    write("letter", "Dear Ada");
    options = tls();
    options.certificate_file = folder.file("letter");
    EXPECT_NE(refusal(options).find("TLS: " + folder.file("letter") + ": no certificate in PEM format: "),
              std::string::npos)
        << refusal(options);
    options = tls(ClientAuth::required);
    options.client_ca_file = folder.file("letter");
    EXPECT_NE(refusal(options).find("TLS: " + folder.file("letter") + ": no certificates in PEM format: "),
              std::string::npos)
        << refusal(options);

    write("other.key", authority.issue("DNS:x").key);
    options = tls();
    options.key_file = folder.file("other.key");
    EXPECT_NE(refusal(options).find("key values mismatch"), std::string::npos) << refusal(options);
    EXPECT_EQ(refusal(tls(ClientAuth::required)), "started");
}

TEST_F(HttpTls, ThousandsOfRequestsOnOneConnection) {
    start({.tls = tls()});
    TlsClient client(server->port(), {authority.certificate()});
    for (int i = 0; i < 2'000; ++i)
        ASSERT_EQ(client.request("POST", "/", std::to_string(i)).body, "127.0.0.1 " + std::to_string(i));
}

}  // namespace belfry::api
