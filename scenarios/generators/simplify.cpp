#include "scenarios/generators/simplify.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace picklock {
namespace {

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

// An end that is left open ("until healing") weighs more than any that is stated.
constexpr std::int64_t kOpenEnd = 1;
constexpr Duration kFirstEnd = seconds(1);

using Kept = std::variant<bool, std::int64_t, Duration, std::optional<Duration>, Law, std::string, std::size_t>;

struct Collector {
  template <class T>
  requires(std::is_constructible_v<Kept, std::in_place_type_t<T>, const T&>) void operator()(const FieldInfo&, T& v) {
    values.emplace_back(v);
  }
  void operator()(const FieldInfo&, FieldChoice& choice) { values.emplace_back(choice.index); }
  std::vector<Kept> values;
};

// Values in the order of the fields; empty without options.
std::vector<Kept> values_of(AnyOptions options) {
  Collector collector;
  visit_fields(options, collector);
  return std::move(collector.values);
}

class Weight {
 public:
  explicit Weight(Complexity& c) : c_(c) {}
  void operator()(bool v) { c_.turns += v; }
  void operator()(std::int64_t v) { c_.size += magnitude(v); }
  void operator()(Duration v) { c_.size += magnitude(v.ns); }
  void operator()(const std::optional<Duration>& v) {
    if (v) {
      (*this)(*v);
    } else {
      c_.turns += kOpenEnd;
    }
  }
  void operator()(const Law& v) {
    c_.turns += v.kind() != Law::Kind::constant;
    c_.size += Complexity::Wide{magnitude(v.low())} + magnitude(v.high()) + magnitude(v.scale());
  }
  void operator()(const std::string&) {}
  void operator()(std::size_t index) { c_.turns += static_cast<std::int64_t>(index); }

 private:
  Complexity& c_;
};

void weigh(const AnyOptions& options, const std::vector<Kept>& defaults, Complexity& c) {
  const std::vector<Kept> values = values_of(options);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < defaults.size()) {
      if (values[i] == defaults[i]) continue;
      ++c.said;
    }
    std::visit(Weight(c), values[i]);
  }
}

// The first one or two digits, then zeros.
std::uint64_t rounded(std::uint64_t n, std::uint64_t digits) {
  std::uint64_t unit = 1;
  while (n / unit >= digits) unit *= 10;
  return n / unit * unit;
}

// Numbers nearer to zero, the nearest first; the later ones feel their way back to `n`.
std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least, std::int64_t most) {
  const std::uint64_t size = magnitude(n);
  std::vector<std::int64_t> found;
  const auto add = [&](std::uint64_t s) {
    const auto as_signed = static_cast<std::int64_t>(s);
    const std::int64_t candidate = std::clamp(n < 0 ? -as_signed : as_signed, least, most);
    if (magnitude(candidate) >= size) return;
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  };
  add(0);
  add(rounded(size, 10));
  for (std::uint64_t parts = 2; parts <= 32; parts *= 2) add(rounded(size - size / parts, 100));
  add(rounded(size, 100));
  if (size <= 100) add(size - (size != 0));
  return found;
}

std::vector<Law> simpler_laws(const Law& law, const FieldInfo& f) {
  std::vector<Law> found;
  if (law.kind() == Law::Kind::constant) {
    for (const std::int64_t n : smaller(law.low(), f.least, f.most)) {
      found.push_back(Law::constant(n));
    }
    return found;
  }
  found.push_back(Law::constant(law.calm()));
  if (law.high() != law.calm()) found.push_back(Law::constant(law.high()));
  if (law.kind() == Law::Kind::uniform && law.low() >= 0) {
    for (const std::int64_t n : smaller(law.high(), law.low() + 1, f.most)) {
      found.push_back(Law::uniform(law.low(), n));
    }
  }
  return found;
}

// Changes the `field`-th field into its `variant`-th simpler value, if there is one.  The first is
// the default, if there are defaults.
class Changer {
 public:
  Changer(std::size_t field, std::size_t variant, const std::vector<Kept>& defaults)
      : field_(field), variant_(variant), defaults_(defaults) {}
  bool changed = false, there = false;

  void operator()(const FieldInfo&, bool& v) {
    if (mine(v) && v && variant_ == 0) set(v, false);
  }
  void operator()(const FieldInfo& f, std::int64_t& v) {
    if (mine(v)) pick(smaller(v, f.least, f.most), v);
  }
  void operator()(const FieldInfo& f, Duration& v) {
    if (!mine(v)) return;
    std::int64_t ns = v.ns;
    pick(smaller(ns, f.least, f.most), ns);
    v = {ns};
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    if (!mine(v)) return;
    if (!v) {
      if (variant_ == 0) {
        set(v, std::optional(Duration{std::clamp(kFirstEnd.ns, f.least, f.most)}));
      }
      return;
    }
    std::int64_t ns = v->ns;
    pick(smaller(ns, f.least, f.most), ns);
    v = Duration{ns};
  }
  void operator()(const FieldInfo& f, Law& v) {
    if (mine(v)) pick(simpler_laws(v, f), v);
  }
  void operator()(const FieldInfo&, std::string&) { there |= field_ == seen_++; }
  void operator()(const FieldInfo&, FieldChoice& choice) {
    if (mine(choice.index) && variant_ < choice.index) set(choice.index, variant_);
  }

 private:
  // Is it this one that is to be changed, and not into its default, which is done here?
  template <class T>
  bool mine(T& v) {
    if (field_ != seen_++) return false;
    there = true;
    if (defaults_.empty()) return true;
    if (variant_ == 0) {
      set(v, std::get<T>(defaults_[field_]));
      return false;
    }
    --variant_;
    return true;
  }
  template <class T>
  void set(T& v, T simpler) {
    v = std::move(simpler);
    changed = true;
  }
  template <class T>
  void pick(const std::vector<T>& candidates, T& v) {
    if (variant_ < candidates.size()) set(v, candidates[variant_]);
  }
  std::size_t field_, variant_, seen_ = 0;
  const std::vector<Kept>& defaults_;
};

std::vector<Trigger> simpler(const Trigger& t) {
  std::vector<Trigger> found;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (t.on.empty()) {
    if (t.at) found.push_back({});
    if (t.at) {
      for (const std::int64_t ns : smaller(t.at->high(), 0, kMost)) {
        if (ns != 0) found.push_back({.at = Duration{ns}});
      }
    }
    return found;
  }
  found.push_back({});
  const auto add = [&](std::int64_t count, Duration offset) {
    found.push_back({.on = t.on, .count = count, .offset = offset});
  };
  for (const std::int64_t n : smaller(t.count, 1, kMost)) add(n, t.offset);
  for (const std::int64_t ns : smaller(t.offset.ns, 0, kMost)) add(t.count, {ns});
  return found;
}

void weigh(const Fault& fault, Complexity& c) {
  ++c.faults;
  const Trigger& t = fault.trigger;
  c.events += !t.on.empty();
  c.counts += t.count - 1;
  c.size += magnitude(t.offset.ns);
  // "At the start" is simpler said by nothing than by 0s.
  if (t.at) Weight{c}(*t.at), c.size += 1;
  weigh(fault.options, {}, c);
}

}  // namespace

Complexity complexity(const FaultPlan& plan) {
  Complexity c;
  for (const Fault& fault : plan) weigh(fault, c);
  return c;
}

Complexity complexity(const AnyOptions& options, const AnyOptions& defaults) {
  Complexity c;
  weigh(options, values_of(defaults), c);
  return c;
}

std::vector<AnyOptions> simplify(const AnyOptions& options, const AnyOptions& defaults) {
  std::vector<AnyOptions> found;
  const std::vector<Kept> usual = values_of(defaults);
  const Complexity limit = complexity(options, defaults);
  for (std::size_t field = 0;; ++field) {
    for (std::size_t variant = 0;; ++variant) {
      AnyOptions candidate = options;
      Changer changer(field, variant, usual);
      visit_fields(candidate, changer);
      if (!changer.there) return found;
      if (!changer.changed) break;
      if (complexity(candidate, defaults) < limit) found.push_back(std::move(candidate));
    }
  }
}

std::vector<FaultPlan> simplify(const FaultPlan& plan) {
  std::vector<FaultPlan> found;
  const Complexity limit = complexity(plan);
  const auto add = [&](FaultPlan candidate) {
    if (complexity(candidate) < limit) found.push_back(std::move(candidate));
  };
  for (std::size_t chunk = plan.size(); chunk > 0; chunk /= 2) {
    for (std::size_t begin = 0; begin < plan.size(); begin += chunk) {
      FaultPlan candidate(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(begin));
      const std::size_t end = std::min(begin + chunk, plan.size());
      candidate.insert(candidate.end(), plan.begin() + static_cast<std::ptrdiff_t>(end), plan.end());
      add(std::move(candidate));
    }
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    for (const Trigger& trigger : simpler(plan[i].trigger)) {
      FaultPlan candidate = plan;
      candidate[i].trigger = trigger;
      add(std::move(candidate));
    }
    for (AnyOptions& options : simplify(plan[i].options)) {
      FaultPlan candidate = plan;
      candidate[i].options = std::move(options);
      add(std::move(candidate));
    }
  }
  return found;
}

}  // namespace picklock
