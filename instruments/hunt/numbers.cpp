#include "instruments/hunt/numbers.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "faults/names.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

class Numbers {
 public:
  void operator()(const FieldInfo&, bool&) { ++at_; }
  void operator()(const FieldInfo& f, std::int64_t& v) { add(f, v, false); }
  void operator()(const FieldInfo& f, Duration& v) { add(f, v.ns, true); }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    add(f, v ? v->ns : 0, true);
    if (!v && f.name == "lasts") {
      all.back().open = true;
    } else if (!v) {
      all.pop_back();  // "at the start", "never"
    }
  }
  void operator()(const FieldInfo& f, Law& v) {
    if (v.kind() == Law::Kind::constant) {
      add(f, v.low(), true);
    } else {
      ++at_;
    }
  }
  void operator()(const FieldInfo&, std::string&) { ++at_; }
  void operator()(const FieldInfo&, FieldChoice&) { ++at_; }
  std::vector<FaultNumber> all;

 private:
  void add(const FieldInfo& f, std::int64_t value, bool time) {
    all.push_back({at_++, false, value, f.least, f.most, time});
  }
  std::size_t at_ = 0;
};

class Constants {
 public:
  void operator()(const FieldInfo&, Law& v) {
    if (v.kind() != Law::Kind::constant) v = Law::constant(v.high());
  }
};

// Takes the `place`-th machine out of the groups of a partition.
class FewerMachines {
 public:
  explicit FewerMachines(std::size_t place) : place_(place) {}
  void operator()(const FieldInfo& f, std::string& v) {
    if (f.name != "between") return;
    std::string text;
    std::size_t at = 0;
    for (std::size_t begin = 0; begin <= v.size();) {
      const std::size_t end = std::min(v.find('|', begin), v.size());
      const std::vector<std::string_view> machines = words_of(std::string_view(v).substr(begin, end - begin));
      if (!text.empty()) text += " |";
      for (const std::string_view machine : machines) {
        if (at++ == place_) there = true;
        if (at - 1 == place_ && machines.size() > 1) {
          changed = true;
          continue;
        }
        text += (text.empty() ? "" : " ") + std::string(machine);
      }
      begin = end + 1;
    }
    if (changed) v = text;
  }
  bool there = false, changed = false;

 private:
  std::size_t place_;
};

class Setter {
 public:
  Setter(std::size_t field, std::int64_t value) : field_(field), value_(value) {}
  void operator()(const FieldInfo&, bool&) { ++at_; }
  void operator()(const FieldInfo&, std::int64_t& v) {
    if (mine()) v = value_;
  }
  void operator()(const FieldInfo&, Duration& v) {
    if (mine()) v = {value_};
  }
  void operator()(const FieldInfo&, std::optional<Duration>& v) {
    if (mine()) v = Duration{value_};
  }
  void operator()(const FieldInfo&, Law& v) {
    if (mine()) v = Law::constant(value_);
  }
  void operator()(const FieldInfo&, std::string&) { ++at_; }
  void operator()(const FieldInfo&, FieldChoice&) { ++at_; }

 private:
  bool mine() { return at_++ == field_; }
  std::size_t field_, at_ = 0;
  std::int64_t value_;
};

}  // namespace

std::vector<FaultNumber> numbers_of(const Fault& fault) {
  Fault copy = fault;
  Numbers numbers;
  visit_fields(copy, numbers);
  FieldLister of_trigger;
  copy.trigger.fields(of_trigger);
  for (FaultNumber& n : numbers.all) n.trigger = n.field < of_trigger.fields.size();
  return std::move(numbers.all);
}

Fault with_number(const Fault& fault, const FaultNumber& number, std::int64_t value) {
  Fault copy = fault;
  Setter setter(number.field, value);
  visit_fields(copy, setter);
  return copy;
}

Fault with_constants(const Fault& fault) {
  Fault copy = fault;
  Constants constants;
  visit_fields(copy, constants);
  return copy;
}

std::vector<Fault> with_fewer_machines(const Fault& fault) {
  std::vector<Fault> found;
  for (std::size_t i = 0;; ++i) {
    Fault copy = fault;
    FewerMachines fewer(i);
    visit_fields(copy.options, fewer);
    if (!fewer.there) return found;
    if (fewer.changed) found.push_back(std::move(copy));
  }
}

std::vector<std::int64_t> plain_steps(std::int64_t low, std::int64_t high, bool time,
                                      const std::vector<std::int64_t>& deadlines) {
  std::vector<std::int64_t> found;
  const auto add = [&](std::int64_t v) {
    if (v > low && v < high) found.push_back(v);
  };
  for (std::int64_t unit = time ? microseconds(1).ns : 1;; unit *= 10) {
    for (const std::int64_t digit : {1, 2, 3, 5}) add(digit * unit);
    if (unit > high / 10) break;
  }
  if (time) {
    for (const std::int64_t d : deadlines) {
      for (const std::int64_t v : {d / 2, d, d + d / 10, d + d / 2, 2 * d}) add(v);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace picklock
