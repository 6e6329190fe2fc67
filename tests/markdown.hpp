// The pages of the repository, their links and the anchors of their headings.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace picklock::testing {

// Every .md file outside of build folders and hidden ones, by name.
std::vector<std::filesystem::path> all_pages();

struct Link {
  std::string text, target;  // [text](target)
  bool operator==(const Link&) const = default;
};
// Outside of code.
std::vector<Link> links_of(const std::string& page);

// As GitHub makes them of headings: lower case, without punctuation, blanks as dashes; a second one gets "-1".
std::set<std::string> anchors_of(const std::string& page);

// The links of a page, which lies at `path`, that lead to no file, or to no heading of one.
std::vector<std::string> dead_links(const std::string& page, const std::filesystem::path& path);

}  // namespace picklock::testing
