#include "base/text/gzip.hpp"

#include <zlib.h>

namespace belfry {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header
constexpr int kMemoryLevel = 8;       // zlib's default

}  // namespace

std::optional<std::string> gzipped(std::string_view text, int level) {
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
        return std::nullopt;
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    // zlib only reads the bytes; its type predates const.
    stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return whole ? std::optional(std::move(packed)) : std::nullopt;
}

}  // namespace belfry
