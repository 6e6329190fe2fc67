#include "scenarios/generators/tame.hpp"

#include <algorithm>

#include "sim/task/fields.hpp"

namespace picklock {
namespace {

std::optional<std::int64_t> least_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

// Makes the numbers of one fault small enough.
class Tamer {
 public:
  Tamer(std::optional<std::int64_t> lasts, std::optional<std::int64_t> by) : lasts_(lasts), by_(by) {}
  void operator()(const FieldInfo& f, std::int64_t& v) {
    if (f.name == "ppm" && by_) v = std::clamp(v, -*by_, *by_);
  }
  void operator()(const FieldInfo& f, Duration& v) {
    if (f.name == "by" && by_) v.ns = std::clamp(v.ns, -*by_, *by_);
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    if (f.name == "lasts" && lasts_) v = Duration{std::min(v ? v->ns : *lasts_, *lasts_)};
  }
  void operator()(const FieldInfo& f, Law& v) {
    if (f.name == "by" && by_ && v.high() > *by_) v = Law::constant(*by_);
  }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    constexpr std::string_view kCatchesUp = "catches-up";  // a clock that lags counts as stepped
    const auto found = std::find(choice.names.begin(), choice.names.end(), kCatchesUp);
    if (f.name == "thaw" && found != choice.names.end())
      choice.index = static_cast<std::size_t>(found - choice.names.begin());
  }

 private:
  std::optional<std::int64_t> lasts_, by_;
};

}  // namespace

std::optional<std::int64_t> limit_of(std::span<const Assumption> assumed, AssumptionKind kind) {
  std::optional<std::int64_t> least;
  for (const Assumption& a : assumed) {
    if (a.kind == kind) least = least_of(least, a.limit);
  }
  return least;
}

FaultPlan within(FaultPlan plan, std::span<const Assumption> assumed, std::int64_t parts) {
  using Kind = AssumptionKind;
  const auto limit = [&](Kind kind) { return limit_of(assumed, kind); };
  const auto part = [&](Kind kind) {
    const auto bound =
        least_of(least_of(limit(kind), limit(Kind::holds_shorter_than)), limit(Kind::interruptions_shorter_than));
    return bound ? std::optional((*bound - *bound / 10) / parts) : std::nullopt;
  };
  std::erase_if(plan, [&](const Fault& fault) {
    const std::string& k = fault.kind;
    if (k == "clock-drift") return limit(Kind::clock_rates_within) == 0;
    if (k == "clock-step") return limit(Kind::clock_steps_below) == 0;
    // Set right, or wrong from some instant on, it has stepped.
    if (k == "clock-offset") return limit(Kind::clock_steps_below).has_value() && !limit(Kind::clock_offsets_below);
    if (k == "kill") return limit(Kind::no_kills).has_value();
    if (k == "power-loss") return limit(Kind::no_power_losses).has_value();
    if (k == "partition") return limit(Kind::no_partitions).has_value();
    return false;
  });
  for (Fault& fault : plan) {
    const std::string& k = fault.kind;
    const auto of_clocks = [&](Kind kind) {  // steps and offsets: the limit itself is too much
      const auto bound = limit(kind);
      return bound ? std::optional(std::max<std::int64_t>(*bound - (kind != Kind::clock_rates_within), 0))
                   : std::nullopt;
    };
    std::optional<std::int64_t> lasts, by;
    if (k == "pause" || k == "freeze") {
      lasts = part(Kind::pauses_shorter_than);
    } else if (k == "delay" || k == "slow-disk") {
      by = part(Kind::delays_shorter_than);
    } else if (k == "hold" || k == "loss" || k == "partition") {
      lasts = part(Kind::delays_shorter_than);
    } else if (k == "clock-drift") {
      by = of_clocks(Kind::clock_rates_within);
    } else if (k == "clock-step") {
      by = of_clocks(Kind::clock_steps_below);
    } else if (k == "clock-offset" && limit(Kind::clock_offsets_below)) {
      by = of_clocks(Kind::clock_offsets_below);
      fault.trigger = {};
    }
    Tamer tamer(lasts, by);
    visit_fields(fault.options, tamer);
  }
  return plan;
}

}  // namespace picklock
