// The forms in which histories come.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace picklock {

enum class Format {
  automatic,   // reading: recognised by content; writing: EDN
  edn,         // maps: one a line, or in one vector or list
  json,        // objects: one a line, or in one array
  jepsen_log,  // lines "INFO  jepsen.util - 0\t:invoke\t:read\tnil", among other lines
  csv,         // a header with the names of the columns, then a row for each event
  lease_json,  // JSON of lock, refresh and unlock, with the lock in :value and answers as strings
  porcupine    // EDN of get, put and append, with the key in :key
};

struct FormatInfo {
  Format format;
  std::string_view name;  // name on the command line
  std::string_view description;
};

std::span<const FormatInfo> formats();  // all but `automatic`
std::optional<Format> format_named(std::string_view name);
std::string_view name_of(Format format);  // "automatic" too

}  // namespace picklock
