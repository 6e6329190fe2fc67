#include "scenarios/file/error.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace picklock {

std::string print(const ScenarioError& e) {
  std::string out = e.file;
  if (e.line != 0) out += fmt::format(":{}", e.line);
  if (e.line != 0 && e.column != 0) out += fmt::format(":{}", e.column);
  if (!out.empty()) out += ": ";
  if (e.expected.empty()) return out + e.found;
  out += fmt::format("found {}, expected {}", e.found, e.expected);
  if (!e.nearest.empty()) out += fmt::format("; did you mean '{}'?", e.nearest);
  return out;
}

void ScenarioPositions::note(std::string_view path, SourcePosition position) {
  positions_.insert_or_assign(std::string(path), position);
}

void ScenarioPositions::copy(std::string_view path, std::string_view to) {
  std::vector<std::pair<std::string, SourcePosition>> copies;
  for (auto i = positions_.lower_bound(path); i != positions_.end(); ++i) {
    if (!i->first.starts_with(path)) break;
    const std::string_view rest = std::string_view(i->first).substr(path.size());
    if (rest.empty() || rest.front() == '.') copies.emplace_back(std::string(to) + std::string(rest), i->second);
  }
  for (auto& [name, position] : copies) positions_.insert_or_assign(std::move(name), position);
}

void ScenarioPositions::forget(std::string_view path) {
  for (auto i = positions_.lower_bound(path); i != positions_.end() && i->first.starts_with(path);) {
    const std::string_view rest = std::string_view(i->first).substr(path.size());
    const bool within = rest.empty() || rest.front() == '.' || rest.front() == '[';
    i = within ? positions_.erase(i) : std::next(i);
  }
}

SourcePosition ScenarioPositions::of(std::string_view path) const {
  const std::string canonical = canonical_path(path);
  std::string_view name = canonical;
  for (;;) {
    if (const auto found = positions_.find(name); found != positions_.end()) return found->second;
    const std::size_t end = name.find_last_of(".[");
    if (end == std::string_view::npos) return {};
    name = name.substr(0, end);
  }
}

std::string canonical_path(std::string_view path) {
  // The first word is replaced if it is followed by '.', '[' or nothing.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSpellings = {{
      {"client", "clients"},
      {"faults", "fault"},
      {"clocks", "clock"},
      {"draws", "draw"},
      {"overrides", "draw"},
      {"links", "network.link"},
      {"link", "network.link"},
      {"network.links", "network.link"},
      {"lock.kind", "lock.name"},
      {"workload.kind", "workload.name"},
  }};
  for (const auto& [other, name] : kSpellings) {
    if (!path.starts_with(other)) continue;
    const std::string_view rest = path.substr(other.size());
    if (rest.empty() || rest.front() == '.' || rest.front() == '[') return std::string(name) + std::string(rest);
  }
  return std::string(path);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;  // bytes
  std::string_view shown = text.substr(0, kMost);
  // The cut must not lie in the middle of a character.
  while (!shown.empty() && shown.size() < text.size() && (text[shown.size()] & 0xc0) == 0x80) shown.remove_suffix(1);
  std::string out = "'";
  const bool readable = valid_utf8(shown);
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !readable) ? '?' : c;
  }
  return out + (shown.size() < text.size() ? "…'" : "'");
}

}  // namespace picklock
