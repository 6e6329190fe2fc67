// Interned names: of clients, locks, resources, functions and keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "checker/intern_table.hpp"

namespace picklock {

using NameId = std::uint32_t;
inline constexpr NameId kNoName = 0xffffffff;

// Holds at most 2^31 - 2 names, as ~id stands for a process: a reader sees that there is room for those of a record.
class Names {
 public:
  NameId intern(std::string_view name);

  // kNoName if `name` was never interned.
  [[nodiscard]] NameId find(std::string_view name) const;

  // The name; empty for kNoName.  Valid until `clear`, `back_to` or destruction.
  [[nodiscard]] std::string_view view(NameId id) const;

  [[nodiscard]] std::size_t size() const { return table_.size(); }
  void clear() { table_.clear(); }  // keeps the capacity
  using Point = InternTable::Point;
  [[nodiscard]] Point here() const { return table_.here(); }
  void back_to(const Point& earlier) { table_.back_to(earlier); }

  static constexpr std::size_t kLimit = 0x7ffffffe;

 private:
  InternTable table_;
};

}  // namespace picklock
