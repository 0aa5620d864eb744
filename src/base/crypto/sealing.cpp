#include "base/crypto/sealing.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/crypto/hmac.hpp"
#include "base/crypto/random_bytes.hpp"
#include "base/crypto/sha256.hpp"
#include "base/text/ascii.hpp"
#include "base/text/base64.hpp"

namespace belfry {

namespace {

constexpr std::string_view kVersion = "v1.";
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kKeyFileMax = 65'536;

struct FreeCipher {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
int size_of(std::string_view text) { return static_cast<int>(text.size()); }

// Prefixes each part with its length, so that two different uses never have the same text.
std::string associated(const SealFor& use, std::string text = "belfry seal v1") {
    for (const auto part : {use.tenant, use.purpose})
        text += "\n" + std::to_string(part.size()) + ":" + std::string(part);
    return text;
}

std::string encrypt(const SealingKey& key, std::string_view secret, const std::string& about) {
    const auto nonce = random_bytes(kNonceBytes);
    std::string hidden(secret.size(), '\0');
    std::string tag(kTagBytes, '\0');
    std::string rest(kTagBytes, '\0');  // GCM writes nothing here, but the call needs a buffer
    const Cipher context(EVP_CIPHER_CTX_new());
    int written = 0;
    const bool done =
        EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1 &&
        EVP_EncryptUpdate(context.get(), nullptr, &written, bytes_of(about), size_of(about)) == 1 &&
        EVP_EncryptUpdate(context.get(), bytes_of(hidden), &written, bytes_of(secret), size_of(secret)) == 1 &&
        EVP_EncryptFinal_ex(context.get(), bytes_of(rest), &written) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes), tag.data()) == 1;
    if (!done) std::abort();  // fails only without memory
    return nonce + hidden + tag;
}

std::optional<std::string> decrypt(const SealingKey& key, std::string_view bytes, const std::string& about) {
    const auto nonce = bytes.substr(0, kNonceBytes);
    std::string tag(bytes.substr(bytes.size() - kTagBytes));
    const auto hidden = bytes.substr(kNonceBytes, bytes.size() - kNonceBytes - kTagBytes);
    std::string secret(hidden.size(), '\0');
    std::string rest(kTagBytes, '\0');
    const Cipher context(EVP_CIPHER_CTX_new());
    int written = 0;
    const bool done =
        EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce)) == 1 &&
        EVP_DecryptUpdate(context.get(), nullptr, &written, bytes_of(about), size_of(about)) == 1 &&
        EVP_DecryptUpdate(context.get(), bytes_of(secret), &written, bytes_of(hidden), size_of(hidden)) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagBytes), tag.data()) == 1 &&
        EVP_DecryptFinal_ex(context.get(), bytes_of(rest), &written) == 1;
    if (!done) return std::nullopt;
    return secret;
}

Error cannot(const std::string& what, const std::string& path, int why) {
    return {ErrorCode::unavailable, "cannot " + what + " the key file " + path + ": " + std::strerror(why)};
}

Result<std::string> read_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return Error{ErrorCode::not_found, "there is no key file " + path};
    if (file < 0) return cannot("read", path, errno);
    std::string text(kKeyFileMax, '\0');
    const auto size = ::read(file, text.data(), text.size());
    const int why = errno;
    ::close(file);
    if (size < 0) return cannot("read", path, why);
    text.resize(static_cast<std::size_t>(size));
    return text;
}

// Writes a draft first and then links it, so that no process reads half a key, and the first of several writers wins.
Result<void> make_file(const std::string& path) {
    const auto draft = path + "." + to_hex(random_bytes(8));
    const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return cannot("make", path, errno);
    const auto text = to_base64(random_bytes(kSealingKeyBytes)) + "\n";
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
    ::close(file);
    const bool linked = written && (::link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST);
    const int why = errno;
    ::unlink(draft.c_str());
    if (!linked) return cannot("make", path, why);
    return {};
}

}  // namespace

Result<std::vector<SealingKey>> parse_sealing_keys(std::string_view text) {
    std::vector<SealingKey> keys;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
        while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        if (line.empty() || line.front() == '#') continue;
        auto key = line.size() == 2 * kSealingKeyBytes ? from_hex(line) : from_base64(line);
        if (!key || key->size() != kSealingKeyBytes) {
            return invalid("line " + std::to_string(number) +
                           " is not a key: use 32 random bytes in base64 (openssl rand -base64 32) or hexadecimal");
        }
        keys.emplace_back(key->data(), kSealingKeyBytes);
    }
    if (keys.empty())
        return invalid("there is no key: add 32 random bytes in base64 (openssl rand -base64 32) or hexadecimal");
    return keys;
}

Result<std::vector<SealingKey>> read_sealing_keys(const std::string& path, MissingKeyFile missing) {
    auto text = read_file(path);
    if (!text && text.error().code == ErrorCode::not_found && missing == MissingKeyFile::make) {
        if (auto made = make_file(path); !made) return made.error();
        text = read_file(path);
    }
    if (!text) return text.error();
    auto keys = parse_sealing_keys(*text);
    if (!keys) return invalid("the key file " + path + ": " + keys.error().message);
    return keys;
}

Result<std::vector<SealingKey>> Sealer::keys() {
    const MutexLock lock(mutex_);
    if (!keys_.empty()) return keys_;
    auto found = find_keys_();
    if (!found) return found.error();
    keys_ = std::move(*found);
    return keys_;
}

Result<void> Sealer::check() {
    if (const auto found = keys(); !found) return found.error();
    return {};
}

// One block of HKDF-Expand (RFC 5869), because the keys are random already. The first word separates it from sealed
// texts.
Result<std::vector<std::string>> Sealer::derive(const SealFor& use) {
    const auto all = keys();
    if (!all) return all.error();
    std::vector<std::string> derived;
    for (const auto& key : *all) derived.push_back(hmac_sha256(key, associated(use, "belfry derive v1") + '\x01'));
    return derived;
}

Result<std::string> Sealer::seal(std::string_view secret, const SealFor& use) {
    const auto all = keys();
    if (!all) return all.error();
    return std::string(kVersion) + to_base64url(encrypt(all->front(), secret, associated(use)));
}

Result<std::string> Sealer::open(std::string_view sealed, const SealFor& use) {
    const auto all = keys();
    if (!all) return all.error();
    const auto bytes = sealed.starts_with(kVersion) ? from_base64url(sealed.substr(kVersion.size())) : std::nullopt;
    if (!bytes || bytes->size() < kNonceBytes + kTagBytes)
        return Error{ErrorCode::corrupt, "this is not a sealed secret"};
    for (const auto& key : *all) {
        if (auto secret = decrypt(key, *bytes, associated(use))) return *secret;
    }
    return Error{ErrorCode::corrupt,
                 "cannot open the secret: its key was removed from secret_key_file, or its row was changed"};
}

}  // namespace belfry
