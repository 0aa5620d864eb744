#include "base/text/gzip.hpp"

#include <zlib.h>

namespace belfry {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header
constexpr int kMemoryLevel = 8;       // zlib's default
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

// zlib only reads the bytes; its type predates const.
void read_from(z_stream& stream, std::string_view bytes) {
    stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    stream.avail_in = static_cast<uInt>(bytes.size());
}

}  // namespace

std::optional<std::string> gzipped(std::string_view text, int level) {
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
        return std::nullopt;
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    read_from(stream, text);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return whole ? std::optional(std::move(packed)) : std::nullopt;
}

std::optional<std::string> gunzipped(std::string_view bytes, std::size_t bytes_max) {
    z_stream stream{};
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) return std::nullopt;
    read_from(stream, bytes);
    std::string text;
    int state = Z_OK;
    while (state == Z_OK && text.size() <= bytes_max) {
        const auto begin = text.size();
        text.resize(begin + kPieceBytes);
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + begin);
        stream.avail_out = static_cast<uInt>(kPieceBytes);
        state = inflate(&stream, Z_NO_FLUSH);
        text.resize(text.size() - stream.avail_out);
    }
    const bool whole = state == Z_STREAM_END && stream.avail_in == 0 && text.size() <= bytes_max;
    inflateEnd(&stream);
    return whole ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace belfry
