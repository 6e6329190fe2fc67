#include "checker/io/stranger.hpp"

#include <fmt/format.h>

namespace picklock {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view command;  // writes the history as text; empty: none that is known
  std::size_t at = 0;
};

constexpr Magic kMagics[] = {
    {"\x28\xb5\x2f\xfd"sv, "a file packed by zstd", "zstd -dc FILE"},
    {"\xfd"
     "7zXZ\0"sv,
     "a file packed by xz", "xz -dc FILE"},
    {"BZh"sv, "a file packed by bzip2", "bzip2 -dc FILE"},
    {"\x04\x22\x4d\x18"sv, "a file packed by lz4", "lz4 -dc FILE"},
    {"\x1f\x9d"sv, "a file packed by compress", "gzip -dc FILE"},
    {"PK\x03\x04"sv, "a zip archive", "unzip -p FILE"},
    {"PK\x05\x06"sv, "an empty zip archive", ""},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "7z e -so FILE"},
    {"ustar"sv, "a tar archive", "tar -xOf FILE", 257},
    {"JEPSEN"sv, "a store of Jepsen's in its binary form", ""},
    {"SQLite format 3\0"sv, "an SQLite database", ""},
    {"\xff\xfe\0\0"sv, "a text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"},
    {"\0\0\xfe\xff"sv, "a text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"},
    {"\xff\xfe"sv, "a text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
    {"\xfe\xff"sv, "a text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
};

std::string wanted(std::string_view command) {
  constexpr std::string_view kText = "a history as text, in UTF-8, packed by gzip or not";
  if (command.empty()) return fmt::format("{}, such as the history.edn of a Jepsen test", kText);
  return fmt::format("{}: {} | picklock check -", kText, command);
}

}  // namespace

std::optional<Stranger> stranger_in(std::string_view begin) {
  begin = begin.substr(0, kStrangerBytes);
  for (const Magic& magic : kMagics) {
    if (magic.at >= begin.size() || !begin.substr(magic.at).starts_with(magic.bytes)) continue;
    return Stranger{0, std::string(magic.what), wanted(magic.command)};
  }
  if (begin.size() > 1 && (begin[0] == '\0') != (begin[1] == '\0')) {  // ASCII in two bytes each
    const char* const order = begin[0] == '\0' ? "BE" : "LE";
    return Stranger{0, "a text in UTF-16", wanted(fmt::format("iconv -f UTF-16{} -t UTF-8 FILE", order))};
  }
  const std::size_t zero = begin.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  return Stranger{zero, "the byte 0x00, which no text has", wanted("")};
}

}  // namespace picklock
