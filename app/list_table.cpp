#include "app/list_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/width.hpp"

namespace picklock {
namespace {

constexpr std::size_t kColumns = 100, kWidestName = 44, kGap = 2, kIndent = 4;

// "  /fenced" of "paused_holder/fenced" below "paused_holder".
std::string shown_name(const std::string& name, const std::string& family) {
  const bool below = !family.empty() && name.starts_with(family + "/");
  return below ? fmt::format("  {}", name.substr(family.size())) : name;
}

std::string detail_lines(const std::string& key, const std::string& value) {
  std::string out;
  std::size_t indent = kIndent;
  for (const std::string& line : wrapped(fmt::format("{} = {}", key, value), kColumns - 2 * kIndent)) {
    out += fmt::format("{:{}}{}\n", "", indent, line);
    indent = 2 * kIndent;
  }
  return out;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    lines.push_back(std::move(line));
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const std::string gap(line.empty() ? 0 : blanks, ' ');
    text.remove_prefix(blanks);
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (!line.empty() && columns_of(line) + gap.size() + columns_of(word) > width) {
      end_line();
    } else {
      line += gap;
    }
    while (columns_of(word) > width) {
      std::size_t most = bytes_within(word, width);
      if (const std::size_t bar = word.substr(0, most).find_last_of("|,/"); bar != std::string_view::npos)
        most = bar + 1;
      line += word.substr(0, most);
      word.remove_prefix(most);
      end_line();
    }
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string list_table(const std::vector<ListEntry>& entries) {
  std::vector<std::string> names;
  std::string family;
  std::size_t width = 0;
  for (const ListEntry& e : entries) {
    names.push_back(shown_name(e.name, family));
    if (e.name.find('/') == std::string::npos) family = e.name;
    if (columns_of(names.back()) <= kWidestName) width = std::max(width, columns_of(names.back()));
  }
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string start = names[i];
    if (columns_of(start) > width) {
      out += start + "\n";
      start.clear();
    }
    for (const std::string& line : wrapped(entries[i].summary, kColumns - width - kGap)) {
      out += fmt::format("{}{:{}}{}\n", start, "", width + kGap - columns_of(start), line);
      start.clear();
    }
    if (!start.empty()) out += start + "\n";
    for (const auto& [key, value] : entries[i].details) out += detail_lines(key, value);
  }
  return out;
}

std::string group_table(const std::vector<ListGroup>& groups, const std::vector<Listed>& entries, Members members) {
  struct Row {
    std::string name, count, meaning, example;
    std::vector<std::string> names;
  };
  std::vector<Row> rows;
  Row widest;  // its cells are the widest of their columns
  const auto widen = [](std::string& room, const std::string& text) {
    if (columns_of(text) > columns_of(room)) room = text;
  };
  for (const ListGroup& group : groups) {
    const std::vector<Listed> some = members_of(group, entries);
    if (some.empty() || some.size() == entries.size()) continue;
    const Listed& example = *std::min_element(
        some.begin(), some.end(), [](const Listed& a, const Listed& b) { return a.name.size() < b.name.size(); });
    rows.push_back({group.name, fmt::format("{}", some.size()), group.meaning, example.name, names_of(some)});
    widen(widest.name, rows.back().name);
    widen(widest.count, rows.back().count);
    widen(widest.meaning, rows.back().meaning);
  }
  std::string out;
  for (const Row& row : rows) {
    std::string start =
        fmt::format("{}  {:>{}}  ", padded(row.name, columns_of(widest.name)), row.count, widest.count.size());
    const std::string example = members == Members::one_example ? row.example : "";
    const std::string meaning = padded(row.meaning, example.empty() ? 0 : columns_of(widest.meaning) + kGap);
    const std::size_t indent = columns_of(start);
    for (const std::string& line : wrapped(meaning + example, kColumns - indent)) {
      out += fmt::format("{}{}\n", start, line);
      start.assign(indent, ' ');
    }
    if (members == Members::one_example) continue;
    for (const std::string& line : wrapped(fmt::format("{}", fmt::join(row.names, ", ")), kColumns - kIndent))
      out += fmt::format("{:{}}{}\n", "", kIndent, line);
  }
  return out;
}

}  // namespace picklock
