#include "app/playground/link.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/playground/members.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrefix = "#run=";
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kMostCharacters = std::size_t{1} << 18, kMostBytes = std::size_t{1} << 21;
constexpr int kWithoutHeader = -15;  // zlib's sign for raw deflate, with its largest window

std::string to_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

std::string deflated(std::string_view text) {
  z_stream stream{};
  std::string out;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kWithoutHeader, 9, Z_DEFAULT_STRATEGY) != Z_OK) return out;
  out.resize(deflateBound(&stream, static_cast<uLong>(text.size())));
  stream.next_in = bytes_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Empty if the bytes are not a whole deflate stream, or become too many.
std::optional<std::string> inflated(std::string_view packed) {
  z_stream stream{};
  if (inflateInit2(&stream, kWithoutHeader) != Z_OK) return std::nullopt;
  stream.next_in = bytes_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 16384> part;
  int state = Z_OK;
  while (state == Z_OK && out.size() <= kMostBytes) {
    stream.next_out = bytes_of({part.data(), part.size()});
    stream.avail_out = part.size();
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out.size() > kMostBytes) return std::nullopt;
  return out;
}

// A scenario of the library, or one and its variant; no path.
bool is_library_name(std::string_view name) {
  return !name.empty() && std::count(name.begin(), name.end(), '/') <= 1 && name.front() != '/' &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '/'; });
}

}  // namespace

bool is_link(std::string_view text) { return text.find(kPrefix) != std::string_view::npos; }

std::string link_fragment(const PlayLink& link) {
  Json run = {{"name", link.name},
              {"toml", link.toml},
              {"variant", link.variant},
              {"set", link.edits.set},
              {"without", link.edits.without},
              {"lock", link.edits.lock},
              {"seed", link.seed}};
  if (!link.locks.empty()) run["locks"] = link.locks;
  const Json whole = {{"v", 1}, {"runs", Json::array({run})}, {"view", Json::object()}};
  return std::string(kPrefix) + to_base64(deflated(whole.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::variant<PlayLink, std::string> read_link(std::string_view text) {
  const std::size_t begin = text.find(kPrefix);
  if (begin == std::string_view::npos) return fmt::format("the link has no {}", kPrefix);
  text.remove_prefix(begin + kPrefix.size());
  if (text.size() > kMostCharacters) return fmt::format("the link has more than {} characters", kMostCharacters);
  const auto packed = from_base64(text);
  if (!packed) return "the link has characters that no link has";
  const auto json = inflated(*packed);
  const Json whole = json ? Json::parse(*json, nullptr, false) : Json(Json::value_t::discarded);
  if (whole.is_discarded()) return "the link is cut off, or was changed on its way";
  const Json* const runs = member_of(whole, "runs");
  if (number_at(whole, "v") != 1 || runs == nullptr || !runs->is_array() || runs->empty() || !runs->front().is_object())
    return "the link is of another version of the playground";
  const Json& run = runs->front();
  PlayLink link;
  link.name = text_at(run, "name");
  link.toml = text_at(run, "toml");
  link.variant = text_at(run, "variant");
  link.edits = {text_at(run, "lock"), texts_at(run, "set"), texts_at(run, "without")};
  link.locks = named_texts_at(run, "locks", kMostLinkLocks);
  link.seed = std::min(number_at(run, "seed").value_or(1), kMostLinkSeed);
  if (link.toml.empty() && !is_library_name(link.name)) return "the link names no scenario of the library";
  return link;
}

}  // namespace picklock
