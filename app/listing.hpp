// The listings of `picklock list`: their entries, and the groups by which a long one is told.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/json.hpp"
#include "scenarios/file/keys.hpp"

namespace picklock {

struct Listed {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> facts = {};  // {"claims", "mutual exclusion, …"}
  std::vector<FieldText> options = {};
  std::vector<std::string> groups = {};  // names of all groups that it belongs to

  bool in_group(std::string_view group) const;
};

struct ListGroup {
  std::string name, meaning;
};

struct Listing {
  std::string_view name, one, summary;  // "locks", "lock", "lock algorithms by family: …"
  std::vector<Listed> (*entries)();
  std::vector<ListGroup> (*groups)() = nullptr;  // null: the listing has no groups
  std::string_view one_group = {};               // "topic"
  std::string_view more = {};                    // a sentence that names the command for one entry
  std::string_view introduction = {};            // the first paragraph of its page, in Markdown
};

std::vector<Listed> members_of(const ListGroup& group, const std::vector<Listed>& entries);
// Whether each entry belongs to one of the groups alone.
bool divide(const std::vector<ListGroup>& groups, const std::vector<Listed>& entries);

const Listing* find_listing(
    std::string_view name);  // the listing "all" lists the others; null: no listing has the name

// The entry has its options among its facts: "30s  (lease that the server grants)".
ListEntry flat(const Listed& entry);

// A word stands for a group if one of the entries belongs to a group of that name. Any other word is searched in name, summary,
// source and groups, in upper and lower case.
std::vector<Listed> matching(std::vector<Listed> entries, const std::vector<std::string>& words);

std::vector<std::string> names_of(std::span<const Listed> entries);

}  // namespace picklock
