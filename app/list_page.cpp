#include "app/list_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace picklock {
namespace {

std::string title_of(std::string_view name) {
  std::string title(name);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

// The link leads to the section of the entry: renderers make its anchor of the heading's letters, digits and dashes.
std::string linked(const Listed& entry) {
  std::string anchor;
  for (const char c : entry.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') anchor += c;
  }
  return fmt::format("[`{}`](#{})", entry.name, anchor);
}

std::string in_code(const std::string& text) { return fmt::format("`{}`", text.empty() ? "\"\"" : text); }

std::string options_table(const std::vector<FieldText>& options) {
  if (options.empty()) return "It has no options.\n\n";
  std::string out = "| option | default | value | meaning |\n|---|---|---|---|\n";
  for (const FieldText& f : options)
    out +=
        fmt::format("| `{}` | {} | {} | {} |\n", f.name, cell(in_code(f.text)), cell(values_allowed(f)), cell(f.help));
  return out + "\n";
}

// A summary has no full stop, and a sentence of a page needs one.
std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.') && !text.ends_with('?')) text += '.';
  return text;
}

std::string section(const Listed& entry, std::string_view heading) {
  std::string out = fmt::format("{} `{}`\n\n{}\n\n", heading, entry.name, sentence(entry.summary));
  for (const auto& [key, value] : entry.facts) out += fmt::format("- *{}*: {}\n", key, value);
  if (!entry.facts.empty()) out += "\n";
  return out + options_table(entry.options);
}

// The table leaves the facts to the sections below it, if there are any.
std::string table(std::string_view one, const std::vector<Listed>& entries, bool sections) {
  std::string head = fmt::format("| {} |", one), rule = "|---|", rows;
  const bool told = std::any_of(entries.begin(), entries.end(), [](const Listed& e) { return !e.summary.empty(); });
  if (!sections && !entries.empty()) {
    for (const auto& [key, value] : entries[0].facts) {
      head += fmt::format(" {} |", key);
      rule += "---|";
    }
  }
  if (told) {
    head += " meaning |";
    rule += "---|";
  }
  for (const Listed& e : entries) {
    rows += fmt::format("| {} |", sections ? linked(e) : in_code(e.name));
    if (!sections) {
      for (const auto& [key, value] : e.facts) rows += fmt::format(" {} |", cell(value));
    }
    rows += told ? fmt::format(" {} |\n", cell(e.summary)) : "\n";
  }
  return fmt::format("{}\n{}\n{}\n", head, rule, rows);
}

}  // namespace

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : c == '\n' ? std::string(" ") : std::string(1, c);
  return out;
}

std::string list_page(const Listing& listing, const std::vector<Listed>& entries) {
  const bool sections = std::any_of(entries.begin(), entries.end(), [](const Listed& e) { return !e.options.empty(); });
  std::string out = fmt::format(
      "# {}\n\n<!-- Output of `picklock list {} --format markdown`; scripts/update-reference writes it anew. "
      "-->\n\n{}\n\n",
      title_of(listing.name), listing.name, listing.introduction);
  const auto add = [&](const std::vector<Listed>& part, std::string_view heading) {
    out += table(listing.one, part, sections);
    for (const Listed& e : part) out += sections ? section(e, heading) : "";
  };
  const std::vector<ListGroup> groups = listing.groups == nullptr ? std::vector<ListGroup>() : listing.groups();
  if (!divide(groups, entries)) {
    add(entries, "##");
  } else {
    for (const ListGroup& group : groups) {
      const std::vector<Listed> part = members_of(group, entries);
      if (part.empty()) continue;
      out += fmt::format("## {} `{}`\n\n{}\n\n", title_of(listing.one_group), group.name, sentence(group.meaning));
      add(part, "###");
    }
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace picklock
