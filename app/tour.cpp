// The guide in a terminal: chapter by chapter, step by step; its runs are played.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/embedded.hpp"
#include "app/main.hpp"
#include "app/shared_options.hpp"
#include "base/nearest.hpp"

namespace picklock {
namespace {

struct TourCommand {
  std::string chapter;  // number or name; empty: all of them
  bool list = false;    // prints only their names
};

struct Step {
  std::vector<std::string> text;      // lines to read
  std::vector<std::string> commands;  // commands to play afterwards
};

// A step ends with a block of commands, or before the next heading.
std::vector<Step> steps_of(std::string_view page) {
  std::vector<Step> steps(1);
  bool inside = false;
  while (!page.empty()) {
    const std::string line(page.substr(0, page.find('\n')));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) steps.emplace_back();
    } else if (inside) {
      if (line.starts_with("$ ")) steps.back().commands.push_back(line.substr(2));
    } else if (line.starts_with("![")) {  // a picture, named by the command that draws it
      steps.back().commands.push_back(line.substr(2, line.find(']') - 2) + " --brief");
      steps.emplace_back();
    } else {
      if (line.starts_with("## ")) steps.emplace_back();
      steps.back().text.push_back(line);
    }
  }
  return steps;
}

// The words of a command as a shell reads them, without pipes: single quotes are all that the guide uses.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false;
  for (const char c : command + " ") {
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun && (word == "|" || word == ">")) break;
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  return words;
}

void play(const std::string& command) {
  fmt::print("\n$ {}\n", command);
  std::vector<std::string> words = words_of(command);
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  command_line(static_cast<int>(words.size()), arguments.data());
}

// False if the reader has had enough.  Without a terminal everything follows at once.
bool go_on(const char* what) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) return true;
  fmt::print("[Enter: {}; q: end] ", what);
  std::fflush(stdout);
  bool quits = false;
  int c = std::getchar();
  for (; c != '\n' && c != EOF; c = std::getchar()) quits = quits || c == 'q';
  return !quits && c != EOF;
}

bool lead_through(const EmbeddedFile& chapter) {
  bool first = true;
  for (const Step& step : steps_of(chapter.text)) {
    bool any = !step.commands.empty();
    for (const std::string& line : step.text) any = any || !line.empty();
    if (!any) continue;
    if (!first && !go_on("on")) return false;
    first = false;
    for (const std::string& line : step.text) fmt::print("{}\n", line);
    if (step.commands.empty()) continue;
    if (!go_on("play")) return false;
    for (const std::string& command : step.commands) play(command);
    fmt::print("\n");
  }
  return true;
}

// "01_a_lease_is_not_a_lock.md": "a_lease_is_not_a_lock"
std::string name_of(const EmbeddedFile& chapter) {
  return std::string(chapter.name.substr(3, chapter.name.size() - 6));
}

int tour(const TourCommand& command) {
  const auto chapters = embedded_guide();
  std::size_t begin = 0, end = chapters.size();
  if (!command.chapter.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < chapters.size(); ++i) {
      names.push_back(name_of(chapters[i]));
      if (command.chapter != std::to_string(i + 1) && command.chapter != names.back()) continue;
      begin = i;
      end = i + 1;
    }
    if (end == chapters.size() && command.chapter != names.back() && command.chapter != std::to_string(end)) {
      fmt::print(stderr, "picklock: found chapter '{}', expected a number from 1 to {}, or a name{}\n", command.chapter,
                 chapters.size(), did_you_mean(command.chapter, names));
      for (std::size_t i = 0; i < names.size(); ++i) fmt::print(stderr, "  {:>2}  {}\n", i + 1, names[i]);
      return kUsage;
    }
  }
  if (command.list) {
    for (std::size_t i = 0; i < chapters.size(); ++i) fmt::print("{:>2}  {}\n", i + 1, name_of(chapters[i]));
    return kAsExpected;
  }
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin && !go_on("next chapter")) break;
    if (!lead_through(chapters[i])) break;
  }
  return kAsExpected;
}

constexpr const char* kTourExamples = R"(
Examples:
  picklock tour                                     all chapters; Enter goes on, q ends
  picklock tour 3
  picklock tour clocks
  picklock tour --list)";

}  // namespace

CommandBody state_tour(CLI::App& app) {
  const auto asked = std::make_shared<TourCommand>();
  app.footer(kTourExamples);
  app.add_option("chapter", asked->chapter, "number or name of a chapter (default: all)")->check(empty);
  app.add_flag("--list", asked->list, "lists the chapters");
  return [asked] { return tour(*asked); };
}

}  // namespace picklock
