// The names of tasks, kept across runs.  Their numbers enter no digest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/draws.hpp"

namespace picklock {

class TaskNames {
 public:
  std::uint32_t id_of(std::string_view name);  // 0: "main"
  const std::string& text(std::uint32_t id) const { return names_[id].text; }
  std::uint64_t hash(std::uint32_t id) const { return names_[id].hash; }

 private:
  struct Name {
    std::uint64_t hash;
    std::string text;
    const char* last_seen_at;  // former address of its letters, at the last look-up
  };
  std::vector<Name> names_ = {{hash_of("main"), "main", nullptr}};
};

}  // namespace picklock
