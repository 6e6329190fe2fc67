#include "faults/armed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <typeinfo>

#include "base/check.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/journal.hpp"
#include "faults/trigger.hpp"

namespace picklock {
namespace {

// Holds every number of a fault against its bounds.
class Bounds {
 public:
  explicit Bounds(PlanNames& names) : names_(names) {}
  void operator()(const FieldInfo& f, std::int64_t& v) {
    check(f, v, v, std::to_string(v), [](std::int64_t n) { return std::to_string(n); });
  }
  void operator()(const FieldInfo& f, Duration& v) { check(f, v.ns, v.ns, to_text(v), text); }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    if (v) (*this)(f, *v);
  }
  void operator()(const FieldInfo& f, Law& v) { check(f, v.low(), v.high(), to_text(v), text); }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    if (choice.index < choice.names.size()) return;
    names_.reject(f.name, std::to_string(choice.index), fmt::format("one of {}", fmt::join(choice.names, ", ")));
  }

 private:
  static std::string text(std::int64_t ns) { return to_text(Duration{ns}); }
  template <class Print>
  void check(const FieldInfo& f, std::int64_t low, std::int64_t high, const std::string& found, Print print) {
    if (low < f.least) {
      names_.reject(f.name, found, "no less than " + print(f.least), print(f.least));
    } else if (high > f.most) {
      names_.reject(f.name, found, "no more than " + print(f.most), print(f.most));
    }
  }
  PlanNames& names_;
};

// Numbers of the draws of a fault: they depend on its place in the plan and on nothing else.
enum Drawn : std::uint32_t { kInstant = 1, kLength = 2, kDraws = 4 };

std::uint32_t number(std::size_t fault, Drawn what) { return static_cast<std::uint32_t>(fault) * kDraws + what; }

bool varies(const Law& law) { return law.kind() != Law::Kind::constant; }

Duration drawn(World& world, const Law& law, std::size_t fault, Drawn what) {
  return {varies(law) ? world.faults.draw(number(fault, what), law) : law.low()};
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const FaultKind& kind : fault_kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace

std::span<const TraceKindInfo> trace::fault_trace_kinds() {
  static constexpr TraceKindInfo kKinds[] = {
      {fault_began, "fault-began", "fault", "kind", "injection"},
      {fault_ended, "fault-ended", "fault", "kind", ""},
  };
  return kKinds;
}

std::optional<PlanError> ArmedPlan::compile(const FaultPlan& plan, std::span<const std::string> node_names,
                                            std::span<const ThreadName> threads) {
  faults_.clear();
  node_names_.assign(node_names.begin(), node_names.end());
  PlanNames names(node_names_, threads);
  for (std::size_t i = 0; i < plan.size() && !names.error(); ++i) {
    Fault fault = plan[i];
    names.begin_fault(i);
    const FaultKind* const kind = find_fault_kind(fault.kind);
    if (kind == nullptr) {
      const auto known = kind_names();
      names.reject("kind", fault.kind, fmt::format("a kind of fault ({})", fmt::join(known, ", ")),
                   std::string(nearest_name(fault.kind, known).value_or("")));
      break;
    }
    const auto defaults = kind->default_options();
    if (!fault.options) fault.options = AnyOptions(kind->default_options());
    const Options &given = *fault.options, &expected = *defaults;
    PICKLOCK_CHECK(typeid(given) == typeid(expected));
    Bounds bounds(names);
    visit_fields(fault, bounds);
    if (names.error()) break;
    const CompiledTrigger trigger = compile_trigger(fault.trigger, names);
    Entry entry;
    entry.point = trigger.point;
    entry.at = trigger.at;
    entry.kind = index_of(*kind);
    entry.fault = kind->arm(*fault.options, names);
    faults_.push_back(std::move(entry));
  }
  if (names.error()) faults_.clear();
  return names.error();
}

void ArmedPlan::arm(World& world) {
  PICKLOCK_CHECK(world.now() == TrueTime{});
  PICKLOCK_CHECK(world.nodes.count() > node_names_.size());
  for (std::size_t i = 0; i < node_names_.size(); ++i) {
    PICKLOCK_CHECK(world.nodes.name(static_cast<NodeId>(i + 1)) == node_names_[i]);
  }
  healed_ = false;
  run_.reset(world.nodes.count());
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    Entry& e = faults_[i];
    e.in_force = e.begun = e.healed = false;
    e.strike = Strike::not_injected;
    e.ended.reset();
    e.generation = 0;
    e.awaited = !e.point;
    if (e.point) {
      world.actions.on(*e.point, {begin, this, i});
      continue;
    }
    e.drawn = drawn(world, e.at, i, kInstant);
    if (e.fault->initial && e.drawn == Duration{}) {
      begin(world, this, i);
    } else {
      schedule(world, i, TrueTime{} + e.drawn, begin);
    }
  }
}

void ArmedPlan::schedule(World& world, std::size_t fault, TrueTime at, void (*act)(World&, void*, std::uint64_t)) {
  world.actions.at(at, {act, this, fault | std::uint64_t{faults_[fault].generation} << 32});
}

bool ArmedPlan::is_void(void* plan, std::uint64_t fault_and_generation) {
  const Entry& e = static_cast<ArmedPlan*>(plan)->faults_[fault_and_generation & 0xffffffff];
  return fault_and_generation >> 32 != e.generation;
}

void ArmedPlan::redraw(World& world) {
  const auto again = [&](std::size_t fault, Drawn what, const Law& law, Duration over) {
    Entry& e = faults_[fault];
    e.drawn = {world.faults.redraw(number(fault, what), law, over, e.drawn)};
    ++e.generation;
  };
  for (std::size_t i = 0; i < faults_.size() && !healed_; ++i) {
    Entry& e = faults_[i];
    if ((e.awaited ? TrueTime{} : e.began) + e.drawn <= world.now()) continue;  // comes to pass at this instant
    if (e.awaited && varies(e.at)) {
      again(i, kInstant, e.at, world.now() - TrueTime{});
      schedule(world, i, TrueTime{} + e.drawn, begin);
    } else if (e.in_force && e.fault->lasts && varies(*e.fault->lasts)) {
      again(i, kLength, *e.fault->lasts, world.now() - e.began);
      schedule(world, i, e.began + e.drawn, end);
    }
  }
}

void ArmedPlan::begin(World& world, void* plan, std::uint64_t fault) {
  auto& self = *static_cast<ArmedPlan*>(plan);
  if (self.healed_ || is_void(plan, fault)) return;
  fault &= 0xffffffff;
  Entry& e = self.faults_[fault];
  e.awaited = false;
  e.begun = true;
  e.began = world.now();
  const Injection injection = e.fault->begin(world, self.run_);
  world.record(trace::fault_began, e.fault->node, static_cast<std::uint32_t>(fault), e.kind,
               static_cast<std::uint64_t>(injection));
  e.in_force = injection == Injection::lasting;
  e.strike = injection == Injection::missed ? Strike::missed : Strike::injected;
  if (e.in_force && e.fault->lasts) {
    e.drawn = drawn(world, *e.fault->lasts, fault, kLength);
    self.schedule(world, fault, e.began + e.drawn, end);
  }
}

void ArmedPlan::end(World& world, void* plan, std::uint64_t fault) {
  if (is_void(plan, fault)) return;
  fault &= 0xffffffff;
  auto& self = *static_cast<ArmedPlan*>(plan);
  Entry& e = self.faults_[fault];
  if (!e.in_force) return;  // healed before its time
  e.in_force = false;
  e.healed = self.healed_;
  e.ended = world.now();
  world.record(trace::fault_ended, e.fault->node, static_cast<std::uint32_t>(fault), e.kind);
  e.fault->end(world, self.run_);
}

bool ArmedPlan::over() const {
  return std::all_of(faults_.begin(), faults_.end(), [](const Entry& e) { return e.begun && !e.in_force; });
}

FaultCourse ArmedPlan::course(std::size_t fault) const {
  const Entry& e = faults_[fault];
  FaultCourse course{e.strike, e.began, e.ended, std::nullopt, e.healed};
  const bool lasting = e.in_force || e.ended;
  if (lasting && e.fault->lasts) course.drawn = e.drawn;
  return course;
}

std::optional<TrueTime> ArmedPlan::scripted_until() const {
  std::optional<TrueTime> last;
  for (const Entry& e : faults_) {
    std::optional<TrueTime> until;
    if (e.awaited) {
      until = TrueTime{} + e.drawn;
    } else if (e.in_force && e.fault->lasts) {
      until = e.began + e.drawn;
    }
    if (until && (!last || *until > *last)) last = until;
  }
  return last;
}

void ArmedPlan::heal(World& world) {
  healed_ = true;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i].fault->heals) end(world, this, i | std::uint64_t{faults_[i].generation} << 32);
  }
  revive(world, this, 0);
  world.actions.at(world.now(), {revive, this, 0});  // those about to die at this instant, too
}

void ArmedPlan::revive(World& world, void* plan, std::uint64_t) {
  const auto& nodes = static_cast<ArmedPlan*>(plan)->run_.nodes;
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    if (nodes[n].staying_down == 0) world.faults.restart(static_cast<NodeId>(n));
  }
}

}  // namespace picklock
