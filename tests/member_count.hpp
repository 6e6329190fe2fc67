// The data members of classes, counted in the text of a header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::style {

struct ClassMembers {
  std::string name;
  std::vector<std::string> members;  // names; those of nested classes count for these, not for the outer one
  std::vector<std::string> bases;    // names, without their namespaces and template arguments
};

// All classes and structs that the text defines, nested ones too.  Static members, functions, types, aliases and
// friends are no data members.  The text must be as clang-format writes it.
std::vector<ClassMembers> data_members(std::string_view source);

}  // namespace picklock::style
