#include "sim/zookeeper/path.hpp"

#include "base/hash.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

const ZooPath::Facts ZooPath::kNone;

std::shared_ptr<const ZooPath::Facts> ZooPath::facts_of(std::string_view text) {
  const auto facts = std::make_shared<Facts>();
  facts->text = text;
  const auto [parent, name] = zoo_split(facts->text);
  facts->parent = parent;
  facts->name = name;
  facts->hash = remembered_hash_of(text);
  facts->parent_hash = remembered_hash_of(parent);
  facts->name_hash = hash_of(name);
  std::int32_t number = 0;
  if (zoo_sequence_of(text, number)) facts->number = number;
  return facts;
}

bool zoo_sequence_of(std::string_view path, std::int32_t& number) {
  constexpr std::size_t kWidth = 10;
  if (path.size() < kWidth) return false;
  std::string_view digits = path.substr(path.size() - kWidth);
  // Numbers below -999999999 take eleven characters.  The hyphen is theirs if another mark of the name's
  // own stands before it: "n-2147483648" is no number, "n--2147483648" is one, and so is "x__-2147483648".
  if (path.size() >= kWidth + 2) {
    const char sign = path[path.size() - kWidth - 1], before = path[path.size() - kWidth - 2];
    if (sign == '-' && (before == '-' || before == '_')) digits = path.substr(path.size() - kWidth - 1);
  }
  const bool negative = digits.front() == '-';
  std::int64_t n = 0;
  for (const char c : digits.substr(negative ? 1 : 0)) {
    if (c < '0' || c > '9') return false;
    n = n * 10 + (c - '0');
  }
  if (negative) n = -n;
  number = static_cast<std::int32_t>(n);
  return n == number;
}

}  // namespace picklock
