#include "scenarios/services/settings.hpp"

#include <algorithm>

#include "scenarios/services/service.hpp"

namespace picklock {

AnyOptions& ServiceSettings::table(const ServiceTable& table) {
  auto found = tables_.find(table.name);
  if (found == tables_.end()) found = tables_.emplace(table.name, AnyOptions(table.default_options())).first;
  return found->second;
}

// Whether each table of this one has the same values in the other.
bool ServiceSettings::says_what(const ServiceSettings& other) const {
  return std::all_of(tables_.begin(), tables_.end(), [&](const auto& entry) {
    const auto found = other.tables_.find(entry.first);
    if (found != other.tables_.end()) return found->second == entry.second;
    const ServiceTable* const table = find_service_table(entry.first);
    return table != nullptr && entry.second == AnyOptions(table->default_options());
  });
}

bool ServiceSettings::operator==(const ServiceSettings& other) const {
  return says_what(other) && other.says_what(*this);
}

}  // namespace picklock
