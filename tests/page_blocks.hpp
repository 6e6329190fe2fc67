// Pages whose blocks are played: ```console holds commands, each behind "$ ", with their output; ```sh only commands.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace picklock::testing {

// Text outside of blocks, or a block, which may have no language.
struct PagePart {
  std::string language, text;
  bool block = false;
  std::string written() const { return block ? "```" + language + "\n" + text + "```\n" : text; }
};

inline std::vector<PagePart> parts_of_page(const std::string& page) {
  std::vector<PagePart> parts(1);
  std::istringstream in(page);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) {
      inside = !inside;
      parts.push_back({inside ? line.substr(3) : "", "", inside});
    } else {
      parts.back().text += line + "\n";
    }
  }
  return parts;
}

// A console block as `run` (command to output) has it now.
template <class Run>
std::string played_block(const std::string& block, Run run) {
  std::string now;
  std::istringstream in(block);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("$ ", 0) == 0) now += line + "\n" + run(line.substr(2));
  }
  return now;
}

}  // namespace picklock::testing
