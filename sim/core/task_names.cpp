#include "sim/core/task_names.hpp"

namespace picklock {

std::uint32_t TaskNames::id_of(std::string_view name) {
  const auto place = [&](const Name& n) { return static_cast<std::uint32_t>(&n - names_.data()); };
  for (const Name& n : names_) {  // mostly the same literal as the last time
    if (n.last_seen_at == name.data() && n.text == name) return place(n);
  }
  for (Name& n : names_) {
    if (n.text != name) continue;
    n.last_seen_at = name.data();
    return place(n);
  }
  names_.push_back({hash_of(name), std::string(name), name.data()});
  return static_cast<std::uint32_t>(names_.size() - 1);
}

}  // namespace picklock
