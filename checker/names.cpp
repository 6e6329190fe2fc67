#include "checker/names.hpp"

#include <stdexcept>
#include <string>

namespace picklock {

NameId Names::intern(std::string_view name) {
  if (table_.size() < kLimit) return static_cast<NameId>(table_.intern(name));
  const NameId known = find(name);
  if (known == kNoName) {
    throw std::length_error("a history has room for " + std::to_string(kLimit) + " distinct names; one more is \"" +
                            std::string(name.substr(0, 80)) + "\"");
  }
  return known;
}

NameId Names::find(std::string_view name) const {
  const std::uint32_t id = table_.find(name);
  return id == InternTable::kAbsent ? kNoName : static_cast<NameId>(id);
}

std::string_view Names::view(NameId id) const { return id == kNoName ? std::string_view{} : table_.view(id); }

}  // namespace picklock
