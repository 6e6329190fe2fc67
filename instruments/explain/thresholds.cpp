#include "instruments/explain/thresholds.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "campaigns/in_parallel.hpp"
#include "instruments/explain/elements.hpp"

namespace picklock {
namespace {

// A length without end stands above all others.
constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
constexpr int kHalvings = 8, kDoublings = 4;
constexpr Duration kLongestTried = seconds(3600);

// A value of a quantity: a number of nanoseconds, or of parts per million.
class Measure {
 public:
  explicit Measure(const FieldText& field) : duration_(field.type != ValueType::integer) {
    const auto parsed = duration_ ? parse_duration(field.text) : std::nullopt;
    if (duration_) {
      now_ = parsed ? parsed->ns : kEndless;
    } else {
      now_ = std::strtoll(field.text.c_str(), nullptr, 10);
    }
  }
  std::string text(std::int64_t v) const {
    if (v == kEndless) return "none";
    return duration_ ? to_text(Duration{v}) : std::to_string(v);
  }
  // Ascending magnitudes, of the sign of the value that there is; with it.
  std::vector<std::int64_t> grid(Duration load) const {
    const std::int64_t sign = now_ < 0 ? -1 : 1;
    const std::int64_t start = now_ == kEndless ? load.ns : std::abs(now_);
    const std::int64_t least = duration_ ? milliseconds(1).ns : 1;
    const std::int64_t most = duration_ ? std::max(kLongestTried.ns, start) : 1'000'000;
    std::vector<std::int64_t> all = {0, start};
    for (int i = 1; i <= kHalvings; ++i) all.push_back(rounded(start >> i));
    for (int i = 1; i <= kDoublings; ++i) {
      const std::int64_t up = start == 0 ? least << (2 * i) : start << i;
      if (start <= (most >> i)) all.push_back(rounded(up));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::int64_t& v : all) v *= sign;
    if (now_ == kEndless) all.push_back(kEndless);
    return all;
  }
  // Rounds to three digits.
  std::int64_t rounded(std::int64_t v) const {
    const std::int64_t unit = step(std::abs(v));
    return std::abs(v) >= unit ? v / unit * unit : v;
  }
  // Between two magnitudes, or nothing if they are near enough.
  std::optional<std::int64_t> middle(std::int64_t a, std::int64_t b) const {
    if (a == kEndless || b == kEndless) return std::nullopt;
    const std::int64_t sign = a < 0 || b < 0 ? -1 : 1, low = std::abs(a), high = std::abs(b);
    if (high - low <= step(high)) return std::nullopt;
    const std::int64_t mean = low + (high - low) / 2, unit = step(high);
    const std::int64_t round = mean / unit * unit;
    return sign * (round > low && round < high ? round : mean);
  }

 private:
  // One in the third digit; no finer than a microsecond.
  std::int64_t step(std::int64_t v) const {
    std::int64_t unit = duration_ ? 1'000 : 1;
    while (v / unit >= 1'000) unit *= 10;
    return unit;
  }

  bool duration_;
  std::int64_t now_ = 0;
};

class Bisection {
 public:
  Bisection(Experiments& experiments, const Trial& base, Property property, const QuantityField& field)
      : experiments_(experiments), base_(base), property_(property), field_(field), measure_(field.field) {}

  Quantity find(Duration load) {
    Quantity quantity{field_.path(), field_.words, field_.field.text, {}, {}};
    std::vector<std::int64_t> values;
    for (const std::int64_t v : measure_.grid(load)) {
      auto probe = try_value(v);
      if (!probe) continue;  // out of the field's range
      values.push_back(v);
      quantity.probes.push_back(std::move(*probe));
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (quantity.probes[i - 1].harmful == quantity.probes[i].harmful) continue;
      quantity.thresholds.push_back(narrow(values[i - 1], quantity.probes[i - 1], values[i], quantity.probes[i]));
    }
    return quantity;
  }

 private:
  std::optional<Tried> try_value(std::int64_t v) {
    const std::string text = measure_.text(v);
    // The value that there is needs no edit.
    const Trial trial = text == field_.field.text ? base_ : with_set(base_, field_.path(), text);
    const Observed& seen = experiments_.see(trial);
    if (!seen.playable || !seen.error.empty()) return std::nullopt;
    return Tried{text, trial, seen.violated(property_)};
  }

  Threshold narrow(std::int64_t low, Tried below, std::int64_t high, Tried above) {
    while (const auto middle = measure_.middle(low, high)) {
      auto probe = try_value(*middle);
      if (!probe) break;
      if (probe->harmful == below.harmful) {
        low = *middle;
        below = std::move(*probe);
      } else {
        high = *middle;
        above = std::move(*probe);
      }
    }
    Tried far_below = far(low, -1).value_or(below), far_above = far(high, 1).value_or(above);
    return {std::move(below), std::move(above), std::move(far_below), std::move(far_above)};
  }

  // A tenth nearer to zero (-1), or further from it.
  std::optional<Tried> far(std::int64_t v, int direction) {
    if (v == kEndless || std::abs(v) < 10) return std::nullopt;
    return try_value(measure_.rounded(v + direction * (v / 10)));
  }

  Experiments& experiments_;
  const Trial base_;
  const Property property_;
  const QuantityField& field_;
  const Measure measure_;
};

}  // namespace

std::vector<Quantity> thresholds_of(Experiments& experiments, const Trial& base, Property property,
                                    const Needed& needs) {
  Trial whole = base;
  whole.edits.without.clear();
  const Scenario scenario = experiments.file_of(whole).scenario;
  // Parts of the lock, and all that the violation needs: alone, or in the smallest scenario that has it.
  std::vector<std::string> parts = {"lock"};
  for (const Removal& r : needs.each) {
    if (r.needed) parts.push_back(r.element.path);
  }
  for (const std::size_t i : needs.left) parts.push_back(needs.each[i].element.path);
  std::vector<QuantityField> fields = quantities_of(scenario);
  std::erase_if(fields,
                [&](const QuantityField& f) { return std::find(parts.begin(), parts.end(), f.part) == parts.end(); });
  std::vector<Quantity> quantities(fields.size());
  in_parallel(fields.size(), experiments.jobs(), [&](std::size_t i) {
    quantities[i] = Bisection(experiments, base, property, fields[i]).find(scenario.phases.least_load());
  });
  std::erase_if(quantities, [](const Quantity& q) { return q.probes.size() < 2; });
  return quantities;
}

}  // namespace picklock
