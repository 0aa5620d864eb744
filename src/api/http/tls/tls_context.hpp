// Certificates and keys, loaded from files for use by connections. TLS 1.2 or later; only ciphers with forward secrecy.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "api/http/stream.hpp"
#include "api/http/tls/tls_options.hpp"

namespace belfry::api {

using TlsContext = boost::asio::ssl::context;

// Errors name the file and the problem.
[[nodiscard]] Result<std::shared_ptr<TlsContext>> load_tls(const TlsOptions& options);

// A connection keeps what it needs of the context, so the context may be replaced in the meantime.
[[nodiscard]] std::unique_ptr<Stream> make_tls_stream(boost::asio::ip::tcp::socket socket, TlsContext& context);

}  // namespace belfry::api
