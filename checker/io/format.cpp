#include "checker/io/format.hpp"

namespace picklock {
namespace {

constexpr FormatInfo kFormats[] = {
    {Format::edn, "edn", "Jepsen's EDN: maps, one a line, or in one vector or list"},
    {Format::json, "json", "Jepsen's JSON: objects, one a line, or in one array"},
    {Format::jepsen_log, "jepsen-log", "the lines that Jepsen logs, among other lines"},
    {Format::csv, "csv", "CSV: a header with the names of the columns, then a row for each event"},
    {Format::lease_json, "lease-json",
     "JSON of lock, refresh and unlock: the lock in value, \"\" or \"false\" for refused"},
    {Format::porcupine, "porcupine", "Porcupine's key-value files: EDN with a :key"},
};

}  // namespace

std::span<const FormatInfo> formats() { return kFormats; }

std::optional<Format> format_named(std::string_view name) {
  for (const FormatInfo& info : kFormats) {
    if (info.name == name) return info.format;
  }
  return std::nullopt;
}

std::string_view name_of(Format format) {
  for (const FormatInfo& info : kFormats) {
    if (info.format == format) return info.name;
  }
  return "automatic";
}

}  // namespace picklock
