// Certificates and keys, read from files and ready for connections. TLS 1.2 or later; only ciphers with forward secrecy.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "api/stream.hpp"
#include "api/tls_options.hpp"

namespace belfry::api {

using TlsContext = boost::asio::ssl::context;

// Errors name the file and say what is wrong with it.
[[nodiscard]] Result<std::shared_ptr<TlsContext>> load_tls(const TlsOptions& options);

// A connection keeps what it needs of the context: another one may take its place meanwhile.
[[nodiscard]] std::unique_ptr<Stream> make_tls_stream(boost::asio::ip::tcp::socket socket, TlsContext& context);

}  // namespace belfry::api
