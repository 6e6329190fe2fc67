#include "sim/core/draws.hpp"

#include <algorithm>
#include <charconv>

#include "base/law_tail.hpp"

namespace picklock {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == end;
}

struct ParsedName {
  std::uint64_t entity = 0, operation = 0;
  Purpose purpose{};
  std::uint32_t n = 0;
  TrueTime again{};
};

// "entity/purpose@owner#ordinal.n", and "|instant" behind it
std::optional<ParsedName> parse_name(std::string_view name) {
  ParsedName parsed;
  if (const std::size_t bar = name.rfind('|'); bar != std::string_view::npos) {
    if (!parse_number(name.substr(bar + 1), parsed.again.ns) || parsed.again.ns <= 0) return std::nullopt;
    name = name.substr(0, bar);
  }
  const std::size_t slash = name.find('/');
  const std::size_t at = name.find('@', slash == std::string_view::npos ? 0 : slash);
  const std::size_t number = name.rfind('#');
  const std::size_t dot = name.rfind('.');
  if (slash == std::string_view::npos || at == std::string_view::npos || number == std::string_view::npos ||
      dot == std::string_view::npos || !(slash < at && at < number && number < dot)) {
    return std::nullopt;
  }
  const std::string_view entity = name.substr(0, slash);
  const std::size_t arrow = entity.find('>');
  parsed.entity = arrow == std::string_view::npos
                      ? hash_of(entity)
                      : Draws::link_hash(hash_of(entity.substr(0, arrow)), hash_of(entity.substr(arrow + 1)));
  const std::string_view purpose = name.substr(slash + 1, at - slash - 1);
  const auto found = std::find(kPurposeNames.begin(), kPurposeNames.end(), purpose);
  if (found == kPurposeNames.end()) return std::nullopt;
  parsed.purpose = static_cast<Purpose>(found - kPurposeNames.begin());
  std::uint32_t ordinal = 0;
  if (!parse_number(name.substr(number + 1, dot - number - 1), ordinal)) return std::nullopt;
  if (!parse_number(name.substr(dot + 1), parsed.n)) return std::nullopt;
  parsed.operation = Operation::key_of(hash_of(name.substr(at + 1, number - at - 1)), ordinal);
  return parsed;
}

}  // namespace

std::optional<std::string> Draws::set_overrides(const std::vector<DrawOverride>& overrides) {
  overrides_.clear();
  for (const DrawOverride& o : overrides) {
    const auto parsed = parse_name(o.name);
    if (!parsed) return o.name;
    const Operation operation{.key = parsed->operation};
    const std::uint64_t key = name_of({.hash = parsed->entity}, parsed->purpose, operation, parsed->n);
    overrides_.push_back({parsed->again == TrueTime{} ? key : name_again(key, parsed->again), o.value});
  }
  std::sort(overrides_.begin(), overrides_.end(), [](const Override& a, const Override& b) { return a.name < b.name; });
  note_special();
  return std::nullopt;
}

void Draws::note_special() {
  special_ = logging_ ? ~std::uint64_t{0} : 0;
  for (const Override& o : overrides_) special_ |= std::uint64_t{1} << (o.name & 63);
}

std::uint64_t Draws::identity() const {
  std::uint64_t h = seed_;
  for (const Override& o : overrides_) h = mix(mix(h, o.name), static_cast<std::uint64_t>(o.value));
  return h;
}

const std::int64_t* Draws::overridden(std::uint64_t name) const {
  const auto found = std::lower_bound(overrides_.begin(), overrides_.end(), name,
                                      [](const Override& o, std::uint64_t key) { return o.name < key; });
  return found != overrides_.end() && found->name == name ? &found->value : nullptr;
}

std::int64_t Draws::redraw(TrueTime now, const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n,
                           const Law& law, std::int64_t beyond, std::int64_t value) {
  const std::uint64_t name = name_of(who, purpose, op, n), again = name_again(name, now);
  if (const std::int64_t* const fixed = overridden(again)) {
    value = std::max(*fixed, beyond);
  } else if (overridden(name) == nullptr) {
    value = sample_above(law, mix(again ^ seed_), beyond);
  }
  if (logging_) log_.push_back({now, who.id, op.owner, op.ordinal, n, purpose, value, now, law});
  return value;
}

std::int64_t Draws::specially(TrueTime now, const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n,
                              std::uint64_t name, std::int64_t value, const Law* law) {
  if (const std::int64_t* const fixed = overridden(name)) value = *fixed;
  if (logging_)
    log_.push_back({now, who.id, op.owner, op.ordinal, n, purpose, value, {}, law != nullptr ? *law : Law()});
  return value;
}

}  // namespace picklock
