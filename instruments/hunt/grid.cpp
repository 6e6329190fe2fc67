#include "instruments/hunt/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faults/fault_kinds.hpp"
#include "faults/trigger.hpp"
#include "scenarios/generators/fault_targets.hpp"

namespace picklock {
namespace {

// Goes through all combinations of choices, whose number may depend on earlier ones.
class Odometer {
 public:
  std::size_t choose(std::size_t options) {
    if (at_ == digits_.size()) digits_.push_back({0, options});
    digits_[at_].options = options;
    return digits_[at_++].value;
  }
  bool next() {
    digits_.resize(at_);
    at_ = 0;
    while (!digits_.empty() && digits_.back().value + 1 >= digits_.back().options) digits_.pop_back();
    if (digits_.empty()) return false;
    ++digits_.back().value;
    return true;
  }

 private:
  struct Digit {
    std::size_t value, options;
  };
  std::vector<Digit> digits_;
  std::size_t at_ = 0;
};

std::vector<Duration> lengths_in(const FaultSpace& space) {
  constexpr std::size_t kMostDeadlines = 3;
  std::vector<Duration> lengths;
  for (std::size_t i = 0; i < std::min(kMostDeadlines, space.deadlines.size()); ++i) {
    const std::int64_t ns = space.deadlines[i].length.ns;
    for (const std::int64_t part : {ns / 2, ns / 100 * 99, ns / 100 * 101, ns * 2}) lengths.push_back({part});
  }
  if (lengths.empty()) lengths = {milliseconds(100), seconds(1)};
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

class GridFields : public FaultTargets<GridFields> {
 public:
  GridFields(const FaultSpace& space, const std::vector<Duration>& lengths, Odometer& odometer)
      : space_(space), lengths_(lengths), odometer_(odometer) {}

  void operator()(const FieldInfo&, bool& v) { v = false; }
  void operator()(const FieldInfo& f, std::int64_t& v) {
    constexpr std::int64_t kAll = 1'000'000;
    if (f.name == "share-ppm") {
      v = kAll;
    } else {
      v = std::clamp(odometer_.choose(2) == 0 ? -kAll / 2 : kAll / 2, f.least, f.most);
    }
  }
  void operator()(const FieldInfo& f, Duration& v) {
    v = one_length(f);
    if (f.least < 0 && odometer_.choose(2) == 1) v.ns = std::max(f.least, -v.ns);
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) { v = one_length(f); }
  void operator()(const FieldInfo& f, Law& v) { v = Law::constant(one_length(f).ns); }
  using FaultTargets::operator();
  void operator()(const FieldInfo&, FieldChoice& choice) { choice.index = odometer_.choose(choice.names.size()); }

  const FaultSpace::Node& choose_node() { return space_.nodes[odometer_.choose(space_.nodes.size())]; }
  std::string choose_task(const FaultSpace::Node& node) {
    const std::size_t task = odometer_.choose((node.role == NodeRole::client ? space_.tasks.size() : 0) + 1);
    return task == 0 ? "" : space_.tasks[task - 1];
  }
  // All that a machine sends, all that it gets, or one way between two.
  void choose_link(std::string& from, std::string& to) {
    const std::size_t nodes = space_.nodes.size(), links = space_.links.size();
    const std::size_t which = odometer_.choose(2 * nodes + 2 * links);
    if (which < nodes) {
      from = space_.nodes[which].name;
    } else if (which < 2 * nodes) {
      to = space_.nodes[which - nodes].name;
    } else {
      const FaultSpace::Link& link = space_.links[(which - 2 * nodes) / 2];
      const bool back = which % 2 == 1;
      from = back ? link.to : link.from;
      to = back ? link.from : link.to;
    }
  }
  // A machine from all others, or two from each other.
  std::string choose_groups() {
    const std::size_t nodes = space_.nodes.size();
    const std::size_t which = odometer_.choose(nodes + space_.links.size());
    if (which < nodes) return space_.nodes[which].name;
    const FaultSpace::Link& link = space_.links[which - nodes];
    return fmt::format("{} | {}", link.from, link.to);
  }

 private:
  Duration one_length(const FieldInfo& f) {
    return {std::clamp(lengths_[odometer_.choose(lengths_.size())].ns, f.least, f.most)};
  }

  const FaultSpace& space_;
  const std::vector<Duration>& lengths_;
  Odometer& odometer_;
};

std::vector<Trigger> triggers_in(const FaultSpace& space, Duration from) {
  std::vector<Trigger> all = {{}};
  if (from > Duration{}) all.front().at = Law::constant(from.ns);
  std::vector<std::string> clients = space.threads;
  for (const FaultSpace::Node& n : space.nodes) {
    if (n.role == NodeRole::client) clients.push_back(n.name);
  }
  for (const std::string& client : clients) {
    for (const std::string& mark : space.marks) {
      const auto found = find_mark(mark);
      const bool event = found && is_event(*found);
      for (const char* const side : {"before ", "after "}) {
        for (const std::int64_t count : {1, 2}) {
          Trigger t;
          t.on = fmt::format("{}{} {}", event ? "" : side, client, mark);
          t.count = count;
          all.push_back(std::move(t));
        }
        if (event) break;
      }
    }
  }
  return all;
}

}  // namespace

std::vector<Fault> single_faults(const FaultSpace& space, const std::vector<std::string>& kinds, Duration from) {
  const std::vector<Duration> lengths = lengths_in(space);
  const std::vector<Trigger> triggers = triggers_in(space, from);
  std::vector<Fault> all;
  for (const FaultKind& kind : fault_kinds()) {
    if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind.name) == kinds.end()) continue;
    Odometer odometer;
    do {
      Fault fault{.kind = std::string(kind.name), .trigger = {}, .options = AnyOptions(kind.default_options())};
      GridFields fields(space, lengths, odometer);
      visit_fields(fault.options, fields);
      fault.trigger = triggers[odometer.choose(triggers.size())];
      all.push_back(std::move(fault));
    } while (odometer.next());
  }
  return all;
}

std::size_t Grid::idle() const { return static_cast<std::size_t>(std::count(idle_.begin(), idle_.end(), true)); }

void Grid::note_idle(std::uint64_t plan) {
  if (plan < idle_.size()) idle_[plan] = true;
}

void Grid::classify(const Checked& calm) { classes_.emplace(singles_, event_triggers_of(singles_), calm); }

void Grid::pair_up() {
  std::vector<std::size_t> useful;
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    if (!idle_[i]) useful.push_back(i);
  }
  const std::size_t step = std::max<std::size_t>(1, (useful.size() + kMostInPairs - 1) / kMostInPairs);
  for (std::size_t i = 0; i < useful.size(); i += step) paired_.push_back(useful[i]);
  if (classes_) classes_->pair_up(paired_);
}

bool Grid::is_known(std::size_t one, std::size_t other) const {
  return classes_ && (classes_->stands_for(one, other) != one || classes_->stands_for(other, one) != other);
}

std::optional<FaultPlan> Grid::next() {
  if (next_ < singles_.size()) return FaultPlan{singles_[next_++]};
  if (paired_.empty()) pair_up();
  for (; first_ + 1 < paired_.size(); ++first_, second_ = first_ + 1) {
    while (second_ < paired_.size()) {
      const std::size_t one = paired_[first_], other = paired_[second_++];
      if (!is_known(one, other)) return FaultPlan{singles_[one], singles_[other]};
      ++left_out_;
    }
  }
  return std::nullopt;
}

}  // namespace picklock
