#include "checker/names.hpp"

#include "base/check.hpp"

namespace picklock {

NameId Names::intern(std::string_view name) {
  if (table_.size() < kLimit) return static_cast<NameId>(table_.intern(name));
  const NameId known = find(name);
  PICKLOCK_CHECK(known != kNoName);
  return known;
}

NameId Names::find(std::string_view name) const {
  const std::uint32_t id = table_.find(name);
  return id == InternTable::kAbsent ? kNoName : static_cast<NameId>(id);
}

std::string_view Names::view(NameId id) const { return id == kNoName ? std::string_view{} : table_.view(id); }

}  // namespace picklock
