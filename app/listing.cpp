#include "app/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace picklock {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool has_word(const Listed& entry, const std::string& word) {
  std::string all = fmt::format("{}\n{}\n{}", entry.name, entry.summary, fmt::join(entry.groups, "\n"));
  for (const auto& [key, value] : entry.facts) {
    if (key == "source") all += "\n" + value;
  }
  return lower(std::move(all)).find(lower(word)) != std::string::npos;
}

}  // namespace

bool Listed::in_group(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

std::vector<Listed> members_of(const ListGroup& group, const std::vector<Listed>& entries) {
  std::vector<Listed> members;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(members),
               [&](const Listed& e) { return e.in_group(group.name); });
  return members;
}

bool divide(const std::vector<ListGroup>& groups, const std::vector<Listed>& entries) {
  return std::all_of(entries.begin(), entries.end(), [&](const Listed& e) {
    return std::count_if(groups.begin(), groups.end(), [&](const ListGroup& g) { return e.in_group(g.name); }) == 1;
  });
}

ListEntry flat(const Listed& entry) {
  ListEntry out{entry.name, entry.summary, entry.facts};
  for (const FieldText& f : entry.options) {
    const std::string choices =
        f.type == ValueType::choice ? fmt::format("  [{}]", fmt::join(f.names, "|")) : std::string();
    out.details.emplace_back(f.name, fmt::format("{}{}  ({})", f.text.empty() ? "\"\"" : f.text, choices, f.help));
  }
  return out;
}

std::vector<Listed> matching(std::vector<Listed> entries, const std::vector<std::string>& words) {
  const std::vector<Listed> all = entries;
  for (const std::string& word : words) {
    const bool group = std::any_of(all.begin(), all.end(), [&](const Listed& e) { return e.in_group(word); });
    std::erase_if(entries, [&](const Listed& e) { return group ? !e.in_group(word) : !has_word(e, word); });
  }
  return entries;
}

std::vector<std::string> names_of(std::span<const Listed> entries) {
  std::vector<std::string> names;
  for (const Listed& e : entries) names.push_back(e.name);
  return names;
}

}  // namespace picklock
