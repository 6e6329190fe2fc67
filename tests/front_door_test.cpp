// The front door: README is short, docs/README.md sorts every page, no link is dead, and the citation is that of this version.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "tests/command_runs.hpp"
#include "tests/markdown.hpp"

namespace picklock::testing {
namespace front_door_test {

namespace fs = std::filesystem;

const fs::path kRoot = PICKLOCK_SOURCE_DIR;

// --- links

TEST(Links, NoneIsDead) {
  std::size_t links = 0;
  for (const fs::path& page : all_pages()) {
    const std::string text = content(page);
    links += links_of(text).size();
    for (const std::string& dead : dead_links(text, page)) ADD_FAILURE() << fs::relative(page, kRoot) << ": " << dead;
  }
  EXPECT_GT(links, 100u) << "the links were not found";
}

TEST(Links, DeadOnesAreFound) {
  const fs::path page = kRoot / "docs/made_up.md";
  const std::string text =
      "# A heading, with `code`\n# A heading, with `code`\n[a](glossary.md) [b](no_such.md) "
      "[c](#a-heading-with-code-1)\n"
      "[d](#no-such) [e](glossary.md#glossary) [f](glossary.md#no-such) `[g](no.md)`\n```\n[h](no.md)\n# No "
      "heading\n```\n"
      "[i](https://example.org/x) [j](../README.md) [k](no-heading)\n";
  EXPECT_EQ(
      dead_links(text, page),
      (std::vector<std::string>{"no_such.md: there is no such file", "#no-such: there is no such heading",
                                "glossary.md#no-such: there is no such heading", "no-heading: there is no such file"}));
  EXPECT_EQ(anchors_of(text), (std::set<std::string>{"a-heading-with-code", "a-heading-with-code-1"}));
}

// --- the index

const std::vector<std::string> kKinds = {"Tutorials", "How-to", "Reference", "Explanation", "Internals"};

// Pages that an index of the root's docs folder names, each with the headings under which it stands; and what is wrong with it.
struct Index {
  std::map<std::string, std::vector<std::string>> headings;
  std::vector<std::string> faults;
};
Index index_of(const std::string& text) {
  Index index;
  std::istringstream in(text);
  std::string heading;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      heading = line.substr(3);
      if (std::find(kKinds.begin(), kKinds.end(), heading) == kKinds.end())
        index.faults.push_back(heading + " is no kind of page");
    }
    if (!line.starts_with("| [")) continue;
    const std::vector<Link> links = links_of(line);
    const std::string page = fs::relative(fs::weakly_canonical(kRoot / "docs" / links.at(0).target), kRoot);
    index.headings[page].push_back(heading);
    const std::string says = line.substr(line.find(") |") + 3);
    if (says.find_first_not_of(" |") == says.npos) index.faults.push_back(page + " has no line that tells of it");
  }
  for (const auto& [page, kinds] : index.headings) {
    if (kinds.size() > 1) index.faults.push_back(page + " stands twice");
  }
  return index;
}

TEST(Index, SortsEveryPage) {
  const Index index = index_of(content(kRoot / "docs/README.md"));
  for (const std::string& fault : index.faults) ADD_FAILURE() << fault;
  std::set<std::string> used;
  for (const auto& [page, kinds] : index.headings) used.insert(kinds.front());
  EXPECT_EQ(used, (std::set<std::string>{kKinds.begin(), kKinds.end()}));
  for (const fs::path& page : all_pages()) {
    const std::string name = fs::relative(page, kRoot);
    if (name == "docs/README.md") continue;
    EXPECT_EQ(index.headings.count(name), 1u) << "docs/README.md does not name " << name;
  }
}

TEST(Index, AFaultyOneIsNoticed) {
  const Index index = index_of(
      "## Tutorials\n| [a](a.md) | A page. |\n## Sundries\n| [root](../README.md) |  |\n| [again](a.md) | It again. "
      "|\n");
  EXPECT_EQ(index.faults,
            (std::vector<std::string>{"Sundries is no kind of page", "README.md has no line that tells of it",
                                      "docs/a.md stands twice"}));
  EXPECT_EQ(index.headings.count("docs/glossary.md"), 0u);
}

// --- README.md

TEST(Readme, IsShortAndLeadsOn) {
  const std::string readme = content(kRoot / "README.md");
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 120);
  for (const char* const has : {"\nscripts/demo\n", "\nscripts/test\n", "```console\n$ picklock run paused_holder",
                                "### Teach\n", "### Test your own lock\n", "### Research\n", "(docs/README.md)",
                                "(CITATION.cff)", "No licence has been chosen yet"})
    EXPECT_NE(readme.find(has), readme.npos) << has;
}

// --- CITATION.cff, Citation File Format 1.2.0

// "key: value" of a file with one level, and of the entries of its lists; what is wrong with it.
struct Citation {
  std::map<std::string, std::string> values;
  std::vector<std::string> faults;
};
Citation citation_of(const std::string& text) {
  // Keys of the schema that a file of ours may have, and those without which it is none.
  static const std::set<std::string> kKnown = {"cff-version", "message", "title",    "authors",        "name",
                                               "type",        "version", "abstract", "keywords",       "date-released",
                                               "doi",         "license", "url",      "repository-code"};
  static const std::vector<std::string> kRequired = {"cff-version", "message", "title", "authors"};
  Citation citation;
  std::istringstream in(text);
  std::string list;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool entry = line.starts_with("  - ");
    if (entry) line = line.substr(4);
    const std::size_t colon = line.find(':');
    if (entry && colon == line.npos) {
      if (list != "keywords") citation.faults.push_back("found '" + line + "', expected key: value");
      continue;
    }
    const std::string key = line.substr(0, colon);
    if (colon == line.npos || kKnown.count(key) == 0 || entry != (key == "name")) {
      citation.faults.push_back("found '" + line + "', expected a key of CFF 1.2.0");
      continue;
    }
    if (!entry) list = key;
    std::string value = colon + 2 < line.size() ? line.substr(colon + 2) : "";
    const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
    if (quoted) value = value.substr(1, value.size() - 2);
    if (!quoted && value.find_first_of(":#?&*!%@`{}[],\"'") != value.npos)
      citation.faults.push_back(key + ": such a value stands in quotation marks");
    citation.values[entry ? list + "." + key : key] = value;
  }
  for (const std::string& key : kRequired) {
    if (citation.values.count(key) == 0) citation.faults.push_back("there is no " + key);
  }
  return citation;
}

// The version that CMake knows: project(picklock VERSION 0.1.0 …).
std::string project_version() {
  const std::string cmake = content(kRoot / "CMakeLists.txt"), before = "project(picklock VERSION ";
  const std::size_t at = cmake.find(before) + before.size();
  return cmake.substr(at, cmake.find(' ', at) - at);
}

TEST(CitationFile, IsOfThisVersion) {
  const Citation citation = citation_of(content(kRoot / "CITATION.cff"));
  for (const std::string& fault : citation.faults) ADD_FAILURE() << fault;
  EXPECT_EQ(citation.values.at("cff-version"), "1.2.0");
  EXPECT_EQ(citation.values.at("title"), "picklock");
  EXPECT_EQ(citation.values.at("type"), "software");
  EXPECT_EQ(citation.values.at("authors.name"), "The picklock developers");
  EXPECT_EQ(citation.values.at("version"), project_version());
  EXPECT_EQ(std::string(kVersion), project_version());
  EXPECT_EQ(citation.values.count("license"), 0u) << "none has been chosen";
}

TEST(CitationFile, AFaultyOneIsNoticed) {
  EXPECT_EQ(citation_of("cff-version: 1.2.0\ntitel: picklock\nmessage: Cite: this\nauthors:\n  - name: \"A\"\n").faults,
            (std::vector<std::string>{"found 'titel: picklock', expected a key of CFF 1.2.0",
                                      "message: such a value stands in quotation marks", "there is no title"}));
}

}  // namespace front_door_test
}  // namespace picklock::testing
