// A znode's path, and what servers ask of it again and again: its parts, their hashes, the number at its end.
//
//   const ZooPath path("/lock/n-0000000007");
//   path.parent(), path.name(), path.number()   // "/lock", "n-0000000007", 7
//
// It never changes. Its copies share all of that, from the transaction that makes a node to the node at every server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

class ZooPath {
 public:
  ZooPath() = default;  // empty
  explicit ZooPath(std::string_view text) : facts_(text.empty() ? nullptr : facts_of(text)) {}

  bool empty() const { return facts_ == nullptr; }
  const std::string& text() const { return facts_ == nullptr ? kNone.text : facts_->text; }
  operator std::string_view() const { return text(); }  // NOLINT: it is one

  // The path must not be empty.
  std::string_view parent() const { return facts_->parent; }
  std::string_view name() const { return facts_->name; }
  std::uint64_t hash() const { return facts_->hash; }  // hash_of (base/hash.hpp)
  std::uint64_t parent_hash() const { return facts_->parent_hash; }
  std::uint64_t name_hash() const { return facts_->name_hash; }
  const std::optional<std::int32_t>& number() const { return facts_->number; }  // number in a sequential name

  friend bool operator==(const ZooPath& a, const ZooPath& b) { return a.facts_ == b.facts_ || a.text() == b.text(); }

 private:
  struct Facts {
    std::string text;
    std::string_view parent, name;
    std::uint64_t hash = 0, parent_hash = 0, name_hash = 0;
    std::optional<std::int32_t> number;
  };
  static const Facts kNone;
  static std::shared_ptr<const Facts> facts_of(std::string_view text);

  std::shared_ptr<const Facts> facts_;
};

// "n-0000000012" gives 12; false unless the name ends in a number as sequential nodes have it.
bool zoo_sequence_of(std::string_view path, std::int32_t& number);

}  // namespace picklock
