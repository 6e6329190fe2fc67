#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/command.hpp"
#include "app/list_page.hpp"
#include "app/list_table.hpp"
#include "app/shared_options.hpp"
#include "base/nearest.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/library_files.hpp"

namespace picklock {
namespace {

struct ListCommand {
  std::string what = "all";
  std::vector<std::string> words;  // groups of entries, or words of their names, summaries, sources and groups
  std::vector<std::string> tags;   // a scenario must have all of them
  bool all = false;                // each entry is told with all its details, however many there are
  std::string format = "text";     // text, json, names, markdown
};

// A listing of more entries than kMany is told by its groups; up to kFew entries are told with all their details.
constexpr std::size_t kMany = 40, kFew = 3;

int usage(const std::string& problem) {
  fmt::print(stderr, "picklock: list: {}\n", problem);
  return kUsage;
}

// The nearest name for the first word that no entry has: "; did you mean 'clock'?", or nothing.
std::string suggestion(const std::vector<Listed>& all, const std::vector<std::string>& words) {
  std::vector<std::string> known = names_of(all);
  for (const Listed& e : all) {
    for (const std::string& group : e.groups) {
      if (std::find(known.begin(), known.end(), group) == known.end()) known.push_back(group);
    }
  }
  for (const std::string& word : words) {
    if (matching(all, {word}).empty()) return did_you_mean(word, known);
  }
  return "";
}

// The command repeats the words that narrow the entries: " --tag redis jump".
std::string narrowed_by(const ListCommand& command) {
  std::string by;
  for (const std::string& tag : command.tags) by += fmt::format(" --tag {}", tag);
  for (const std::string& word : command.words) by += fmt::format(" {}", word);
  return by;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The result has the groups of many entries. It is empty if the entries are few or have no groups.
std::string overview(const ListCommand& command, const Listing& listing, const std::vector<Listed>& entries) {
  if (command.all || entries.size() <= kMany || listing.groups == nullptr) return "";
  const std::vector<ListGroup> groups = listing.groups();
  const Members members = divide(groups, entries) ? Members::all_names : Members::one_example;
  const std::string rows = group_table(groups, entries, members);
  if (rows.empty()) return "";
  return fmt::format(
      "{} {} by {}{}:\n\n{}\n'picklock list {}{} {}' lists fewer, and so does any word.\n--all lists each in full.\n",
      entries.size(), listing.name, listing.one_group,
      members == Members::one_example ? ", with one of each as an example" : "", rows, listing.name,
      narrowed_by(command), upper(listing.one_group));
}

// Each entry has a line. An entry that the command names has its details as well, and so has each of a few.
std::string table(const ListCommand& command, const Listing& listing, const std::vector<Listed>& entries) {
  std::vector<ListEntry> shown;
  bool hidden = false;
  for (const Listed& e : entries) {
    shown.push_back(flat(e));
    const bool named = std::find(command.words.begin(), command.words.end(), e.name) != command.words.end();
    if (command.all || named || entries.size() <= kFew) continue;
    hidden = hidden || !shown.back().details.empty();
    shown.back().details.clear();
  }
  if (!hidden) return list_table(shown);
  return fmt::format("{}\n{} --all lists each in full.\n", list_table(shown), listing.more);
}

std::string text(const ListCommand& command, const Listing& listing, const std::vector<Listed>& all,
                 const std::vector<Listed>& entries) {
  if (entries.empty())
    return fmt::format("picklock list {}: nothing matches{}{}\n", listing.name, narrowed_by(command),
                       suggestion(all, command.words));
  const std::string groups = overview(command, listing, entries);
  return groups.empty() ? table(command, listing, entries) : groups;
}

int list(const ListCommand& command) {
  const Listing* const listing = find_listing(command.what);
  if (listing == nullptr) {
    const std::vector<std::string> names = names_of(find_listing("all")->entries());
    return usage(fmt::format("found '{}', expected one of {}{}", command.what, fmt::join(names, ", "),
                             did_you_mean(command.what, names)));
  }
  if (!command.tags.empty() && command.what != "scenarios") return usage("--tag needs 'picklock list scenarios'");
  if (command.all && command.format != "text")
    return usage("--all needs --format text: the other formats have every entry");
  if ((command.what == "scenarios" || command.what == "tags") && !library_folder()) {
    return usage(fmt::format("no library of scenarios in {}; PICKLOCK_LIBRARY may name its folder",
                             fmt::join(library_folders(), ", ")));
  }
  const std::vector<Listed> all = listing->entries();
  std::vector<Listed> entries = all;
  for (const std::string& tag : command.tags) {
    const std::vector<std::string> known = names_of(find_listing("tags")->entries());
    if (std::find(known.begin(), known.end(), tag) == known.end())
      return usage(fmt::format("no scenario has the tag '{}'{} (picklock list tags)", tag, did_you_mean(tag, known)));
    std::erase_if(entries, [&](const Listed& e) { return !e.in_group(tag); });
  }
  entries = matching(std::move(entries), command.words);
  if (command.format == "names") {
    for (const Listed& e : entries) fmt::print("{}\n", e.name);
  } else if (command.format == "json") {
    std::vector<ListEntry> flattened;
    for (const Listed& e : entries) flattened.push_back(flat(e));
    fmt::print("{}", list_json(std::string(listing->name), flattened));
  } else if (command.format == "markdown") {
    fmt::print("{}", list_page(*listing, entries));
  } else {
    fmt::print("{}", text(command, *listing, all, entries));
  }
  return kAsExpected;
}

constexpr const char* kListExamples = R"(
Examples:
  picklock list scenarios                           topics, with counts and examples
  picklock list scenarios clock                     scenarios of a topic, or with a word
  picklock list scenarios redlock pause
  picklock list locks redlock                       a lock in full, and its family
  picklock list locks --all
  picklock list keys clients                        what a scenario file may say of a client
  picklock list scenarios --tag redis seats --format json)";

}  // namespace

CommandBody state_list(CLI::App& app) {
  const auto asked = std::make_shared<ListCommand>();
  app.footer(with_exit_status(kListExamples));
  app.add_option("listing", asked->what,
                 "locks, faults, workloads, scenarios, tags, keys, models, properties, conditions, assumptions, marks");
  app.add_option("words", asked->words,
                 "topic of scenarios, family of locks, table of keys, or any word of name, summary or source; several "
                 "words: only entries with all of them");
  repeatable(app.add_option("--tag", asked->tags, "only scenarios with this tag; several tags: with all of them"));
  app.add_flag("--all", asked->all, "prints every entry with all its details (default: an overview of many)");
  add_format(app, asked->format, {"text", "json", "names", "markdown"},
             "text, json, names (one name a line), or markdown (a page)");
  return [asked] { return list(*asked); };
}

}  // namespace picklock
