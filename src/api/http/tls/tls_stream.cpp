#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "api/http/tls/tls_context.hpp"

namespace belfry::api {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

struct FreeNames {
    void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
};

// Returns `DNS:name`, or an empty text for other kinds and for a text with bytes that no name has: a NUL would hide
// what follows.
std::string text_of(const GENERAL_NAME& name) {
    const char* const kind = name.type == GEN_DNS     ? "DNS:"
                             : name.type == GEN_URI   ? "URI:"
                             : name.type == GEN_EMAIL ? "email:"
                                                      : nullptr;
    if (kind == nullptr) return {};
    const auto* const value = name.d.ia5;  // the same for all three
    const std::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                                static_cast<std::size_t>(ASN1_STRING_length(value)));
    const bool printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
    return printable && !text.empty() ? kind + std::string(text) : std::string();
}

class TlsStream final : public Stream {
public:
    TlsStream(asio::ip::tcp::socket socket, TlsContext& context) : stream_(std::move(socket), context) {}

    void open(User user) override {
        stream_.async_handshake(asio::ssl::stream_base::server,
                                [user = std::move(user)](const error_code& error) { user->on_open(error); });
    }

    void read_some(std::span<char> into, User user) override {
        stream_.async_read_some(
            asio::buffer(into.data(), into.size()),
            [user = std::move(user)](const error_code& error, std::size_t bytes) { user->on_read(error, bytes); });
    }

    void write(std::string_view first, std::string_view second, User user) override {
        const std::array<asio::const_buffer, 2> both{asio::buffer(first), asio::buffer(second)};
        asio::async_write(stream_, both,
                          [user = std::move(user)](const error_code& error, std::size_t) { user->on_written(error); });
    }

    bool has_unread() override {
        error_code ignored;
        return stream_.next_layer().available(ignored) > 0;
    }

    bool peer_has_left() override { return api::peer_has_left(stream_.next_layer()); }

    // Waits for the peer to do the same. The user closes the stream when that takes too long.
    void shutdown(User user) override {
        stream_.async_shutdown([user = std::move(user)](const error_code&) {});
    }

    void close() override {
        error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

    std::vector<std::string> certificate_names() override {
        auto* const session = stream_.native_handle();
        const std::unique_ptr<X509, FreeCertificate> certificate(SSL_get1_peer_certificate(session));
        if (!certificate || SSL_get_verify_result(session) != X509_V_OK) return {};
        const std::unique_ptr<GENERAL_NAMES, FreeNames> names(
            static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
        std::vector<std::string> texts;
        for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
            if (auto text = text_of(*sk_GENERAL_NAME_value(names.get(), i)); !text.empty())
                texts.push_back(std::move(text));
        }
        return texts;
    }

private:
    asio::ssl::stream<asio::ip::tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Stream> make_tls_stream(asio::ip::tcp::socket socket, TlsContext& context) {
    return std::make_unique<TlsStream>(std::move(socket), context);
}

}  // namespace belfry::api
