#include "algorithms/lua/lua_data_lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest.hpp"

namespace picklock {
namespace {

constexpr std::array<std::string_view, 5> kLeaseKeys = {"time", "owner", "says", "unit", "clock"};
constexpr std::array<std::string_view, 2> kLeaseSays = {"begin", "end"};
constexpr std::array<std::string_view, 2> kLeaseClocks = {"client", "server"};
constexpr std::array<std::string_view, 5> kLeaseUnits = {"s", "ms", "us", "ns", "iso-8601"};
constexpr std::array<std::int64_t, 5> kLeaseUnitNs = {1'000'000'000, 1'000'000, 1'000, 1, 1};

// The place of a word among these; otherwise the size of `words`, and `wrong` says what was expected.
template <std::size_t N>
std::size_t place_in(const std::array<std::string_view, N>& words, const LuaValue& table, std::string_view key,
                     std::string_view usual, std::string& wrong) {
  const LuaValue& found = table.at(key);
  const std::string word = found.is_nil() ? std::string(usual) : found.to_text();
  const auto place = static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
  if (place == N) wrong = fmt::format("{}: found '{}', expected one of {}", key, word, fmt::join(words, ", "));
  return place;
}

}  // namespace

std::string read_lua_data_lease(const LuaValue& table, const std::deque<LuaOption>& options, LuaDataLease& read) {
  if (!table.is_table()) return fmt::format("lease_data: found a {}, expected a table", table.type());
  for (const LuaEntry& e : table.entries) {
    const std::string key = e.key.to_text();
    if (std::find(kLeaseKeys.begin(), kLeaseKeys.end(), key) != kLeaseKeys.end()) continue;
    const auto nearest = nearest_name(key, std::span<const std::string_view>(kLeaseKeys));
    return fmt::format("{}: found '{}', expected a key of lease_data{}", key, key,
                       nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string());
  }
  std::string wrong;
  const std::size_t unit = place_in(kLeaseUnits, table, "unit", "ms", wrong);
  if (!wrong.empty()) return wrong;
  read.lease.text = {table.at("owner").text, table.at("time").text, Duration{kLeaseUnitNs[unit]},
                     kLeaseUnits[unit] == "iso-8601"};
  read.lease.begins = place_in(kLeaseSays, table, "says", "end", wrong) == 0;
  if (!wrong.empty()) return wrong;
  const std::size_t clock = place_in(kLeaseClocks, table, "clock", "client", wrong);
  read.lease.by_server = clock == 1;
  if (wrong.empty()) return "";
  // This is no clock: an option whose words are clocks.
  const std::string name = table.at("clock").to_text();
  const auto option = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.in_text == name; });
  const bool chooses = option != options.end() && !option->choices.empty() &&
                       std::all_of(option->choices.begin(), option->choices.end(), [](const std::string& choice) {
                         return std::find(kLeaseClocks.begin(), kLeaseClocks.end(), choice) != kLeaseClocks.end();
                       });
  if (!chooses) return wrong + ", or an option that is one_of { \"client\", \"server\" }";
  read.clock_option = option->name;
  return "";
}

DataLease LuaDataLease::with(const LuaOptions& options) const {
  DataLease chosen = lease;
  if (!clock_option.empty()) chosen.by_server = options.word(clock_option) == kLeaseClocks[1];
  return chosen;
}

}  // namespace picklock
