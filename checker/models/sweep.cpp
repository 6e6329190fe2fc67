#include "checker/models/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/printable.hpp"
#include "checker/models/words.hpp"

namespace picklock {

void PartCounts::add(PartCounts other) {
  decided += other.decided;
  open += other.open;
  for (std::string& name : other.open_names) {
    if (open_names.size() < kNamed) open_names.push_back(std::move(name));
  }
}

std::uint8_t Sweep::new_role(std::uint8_t f) {
  while (roles_.size() <= f) {
    const std::string_view name = tables_.names.view(tables_.functions.at(roles_.size()));
    const auto& functions = choice_.info->functions;
    const auto found = std::find(functions.begin(), functions.end(), name);
    roles_.push_back(found == functions.end() ? kNoRole : static_cast<std::uint8_t>(found - functions.begin()));
  }
  return roles_[f];
}

ModelContext Sweep::context_of(NameId lock) const {
  return {tables_, lock, choice_.parameter, bounds_, choice_.initial, naming_, any_violation_};
}

// Makes the model of a lock, in the state in which it went to rest.
void Sweep::wake(std::uint32_t slot) {
  Lock& lock = locks_[slot];
  const NameId name = slot == 0 ? kNoName : slot - 1;
  lock.model = choice_.info->make(context_of(name));
  if (lock.call_count == kAbsent) {
    lock.call_count = 0;
    if (choice_.info->needs_values) lock.step_count = kTooMany;  // see met_keys
  }
  for (std::uint32_t i = 0; i < lock.call_count; ++i) {
    const SeenCall& call = lock.calls[i];
    const OperationEvent invoke = call.invoke(name);
    for (std::uint32_t time = 0; time < call.times(); ++time) {
      lock.model->invoked(invoke, call.role());
      if (!call.open()) lock.model->returned(invoke, call.end(name), call.role());
    }
  }
  for (std::uint8_t i = 0; i < lock.step_count && lock.steps != nullptr; ++i) {
    const Step& step = lock.steps[i];
    const OperationEvent event = step.event.event(step.process, step.f, step.type, name);
    if (step.outlived) {
      lock.model->outlived(event, step.role);
    } else if (step.type == OperationType::invoke) {
      lock.model->invoked(event, step.role);
    } else {
      lock.model->returned(*invoke_before(lock, i, step.process, name), event, step.role);
    }
  }
}

// What the process invoked last, by the steps before this one and the calls. None: the lock has rested since, as calls that
// leave it out.
std::optional<OperationEvent> Sweep::invoke_before(const Lock& lock, std::uint8_t step, std::int32_t process,
                                                   NameId name) {
  for (std::uint8_t i = step; i-- > 0;) {
    const Step& s = lock.steps[i];
    if (s.process == process && s.type == OperationType::invoke && !s.outlived)
      return s.event.event(process, s.f, s.type, name);
  }
  const SeenCall* const end = lock.calls.get() + lock.call_count;
  const SeenCall* const call =
      std::find_if(end - lock.call_count, end, [&](const SeenCall& c) { return c.open() && c.process() == process; });
  return call == end ? std::nullopt : std::optional(call->invoke(name));
}

// Of the array that holds so many steps.
std::size_t Sweep::bytes_of_steps(std::uint8_t steps) {
  constexpr std::array<std::uint8_t, kMostSteps + 1> kRoom = {0, 2, 2, 4, 4, 7, 7, 7};
  return kRoom[steps] * sizeof(Step);
}

void Sweep::forget(Lock& lock) {
  kept_ -= lock.call_count * sizeof(SeenCall) + bytes_of_steps(lock.step_count);
  lock.calls.reset();
  lock.steps.reset();
  lock.call_count = lock.step_count = 0;
}

void Sweep::note(Lock& lock, const OperationEvent& event, std::size_t role, bool outlived) {
  if (lock.step_count == kTooMany) return;
  const bool ends = event.type != OperationType::invoke;
  if (lock.step_count == kMostSteps || (ends && !invoke_before(lock, lock.step_count, event.process, event.object))) {
    forget(lock);
    lock.step_count = kTooMany;
    return;
  }
  const std::size_t had = bytes_of_steps(lock.step_count), needs = bytes_of_steps(lock.step_count + 1);
  if (needs > had) {
    auto more = std::make_unique<Step[]>(needs / sizeof(Step));
    std::copy_n(lock.steps.get(), lock.step_count, more.get());
    lock.steps = std::move(more);
    kept_ += needs - had;
  }
  lock.steps[lock.step_count++] = {PackedEvent(event), event.process, event.f, static_cast<std::uint8_t>(role),
                                   event.type,         outlived};
}

Model& Sweep::awake(std::uint32_t slot) {
  if (slot >= locks_.size()) locks_.resize(slot + std::size_t{1});
  if (locks_[slot].model == nullptr) {
    wake(slot);
    awake_.push_back(slot);
  }
  return *locks_[slot].model;
}

// Drops the models that can be made again, and waits longer for the next time if those are few.
void Sweep::rest_some() {
  std::vector<SeenCall> calls;
  std::erase_if(awake_, [&](std::uint32_t slot) {
    Lock& lock = locks_[slot];
    if (!rest_as_calls(lock, calls) && lock.step_count == kTooMany) return false;
    lock.model.reset();
    return true;
  });
  if (awake_at_least_ > 0) awake_most_ = std::max(awake_at_least_, 2 * awake_.size());
}

bool Sweep::rest_as_calls(Lock& lock, std::vector<SeenCall>& calls) {
  calls.clear();
  if (lock.open > Model::kMostPendingAtRest || !lock.model->rest(calls)) return false;
  for (SeenCall& call : calls) {
    if (!call.open()) continue;
    const Process* const process = processes_.find(call.process());
    call = SeenCall(invoke_of(call.process(), *process), call.role());
  }
  if (lock.step_count == kTooMany) lock.step_count = 0;
  forget(lock);
  if (!calls.empty()) lock.calls = std::make_unique<SeenCall[]>(calls.size());
  std::copy(calls.begin(), calls.end(), lock.calls.get());
  lock.call_count = static_cast<std::uint32_t>(calls.size());
  kept_ += calls.size() * sizeof(SeenCall);
  return true;
}

OperationEvent Sweep::invoke_of(std::int32_t number, const Process& process) {
  const NameId object = process.slot == 0 ? kNoName : process.slot - 1;
  return process.invoke.event(number, process.f, OperationType::invoke, object);
}

// The outcome of the pending operation stays open: the same as an info.
void Sweep::crash(std::int32_t number, Process& process, const OperationEvent& at) {
  const OperationEvent invoke = invoke_of(number, process);
  OperationEvent end = invoke;
  end.type = OperationType::info;
  end.time = at.time;
  end.index = at.index;
  returned(process, invoke, end);
  process.pending = false;
  process.crashed = true;
}

void Sweep::invoked(const Process& process, const OperationEvent& invoke) {
  Model& model = awake(process.slot);
  Lock& lock = locks_[process.slot];
  note(lock, invoke, process.role);
  ++lock.open;
  model.invoked(invoke, process.role);
}

void Sweep::returned(const Process& process, const OperationEvent& invoke, const OperationEvent& end) {
  Model& model = awake(process.slot);
  Lock& lock = locks_[process.slot];
  note(lock, end, process.role);
  --lock.open;
  model.returned(invoke, end, process.role);
}

void Sweep::outlived(const Process& process, const OperationEvent& crashed) {
  Model& model = awake(process.slot);
  note(locks_[process.slot], crashed, process.role, true);
  model.outlived(crashed, process.role);
}

void Sweep::feed(const OperationEvent& event) {
  const std::uint8_t role = role_of(event.f);
  if (event.time < latest_ && event.time != kNoTime && backwards_++ == 0) first_backwards_ = event.index;
  latest_ = std::max(latest_, event.time);
  if (event.process < 0) {
    ++of_others_;
    return;
  }
  if (role == kNoRole) {
    if (event.f >= skipped_.size()) skipped_.resize(event.f + std::size_t{1});
    skipped_[event.f] += event.type == OperationType::invoke;
    return;
  }
  Process& process = processes_[event.process];
  if (event.type == OperationType::invoke) {
    if (process.pending) crash(event.process, process, event);
    if (process.crashed) outlived(process, invoke_of(event.process, process));
    process = {PackedEvent(event), slot_of(event.object), event.f, role, true, false};
    invoked(process, event);
    ++operations_;
    acquires_ += role < choice_.info->taking;
    if (awake_.size() > awake_most_) rest_some();
    return;
  }
  if (!process.pending || process.role != role) {
    constexpr const char* kTypes[] = {"invoke", "ok", "fail", "info"};
    const auto name = choice_.info->functions[role];
    throw ImpossibleEvent(fmt::format("the {} of {} {} by {}, which {}", kTypes[static_cast<std::size_t>(event.type)],
                                      std::string_view("aeiou").find(name[0]) != std::string_view::npos ? "an" : "a",
                                      name, process_name(context_of(kNoName).names(), event.process),
                                      process.pending ? "waits for something else" : "waits for nothing"),
                          "a completion of what the process invoked");
  }
  process.pending = false;
  process.crashed = event.type == OperationType::info;
  returned(process, invoke_of(event.process, process), event);
  if (!process.crashed) processes_.erase(event.process);
  if (awake_.size() > awake_most_) rest_some();
}

std::string Sweep::name_of(std::size_t slot) const {
  return slot == 0 ? "operations that name no object"
                   : fmt::format("lock {}", printable(tables_.names.view(static_cast<NameId>(slot - 1))));
}

// Turn by turn, so that no lock takes the time of the others.  As in a model of several keys, all violations of the
// first turn are compared, and a later turn ends with the first one.
ModelResult Sweep::finish(bool with_witness) {
  ModelResult worst;
  std::unique_ptr<Model> of_worst;  // outlives the others, to explain
  PartCounts parts;
  ModelResult given_up;                    // undecided, and no turn will help; or holds
  std::map<std::size_t, PartCounts> open;  // by slot: of models that want another turn
  const auto shown_at = [](const ModelResult& result) { return result.events.back().index; };
  const auto violated = [](const ModelResult& result) { return result.verdict == Verdict::violated; };
  std::size_t held = memory();
  for (std::uint32_t turn = 0; turn == 0 || (!open.empty() && !violated(worst)); ++turn) {
    if (!violated(worst)) worst = given_up;
    for (std::uint32_t slot = 0; slot < locks_.size(); ++slot) {
      auto& model = locks_[slot].model;
      const bool rests = turn == 0 && model == nullptr && locks_[slot].call_count != kAbsent;
      if (rests) wake(slot);
      if (model == nullptr || (turn > 0 && violated(worst))) continue;
      const std::size_t own = model->memory();
      if (rests) held += own;
      if (bounds_ != nullptr) bounds_->add_others(held - own);
      ModelResult result = model->finish(turn);
      if (bounds_ != nullptr) bounds_->remove_others(held - own);
      if (result.parts.decided + result.parts.open == 0) {
        if (result.verdict == Verdict::undecided) result.parts.add_open(name_of(slot));
        result.parts.decided = result.verdict != Verdict::undecided;
      }
      std::unique_ptr<Model> finished;
      if (result.unfinished) {
        open[slot] = result.parts;
      } else {
        open.erase(slot);
        parts.add(std::move(result.parts));
        held -= own;
        finished = std::move(model);
        if (result.verdict == Verdict::undecided && given_up.verdict == Verdict::holds) given_up = result;
      }
      const bool worse = violated(result) ? !violated(worst) || shown_at(result) < shown_at(worst)
                                          : result.verdict == Verdict::undecided && worst.verdict == Verdict::holds;
      if (!worse) continue;
      worst = std::move(result);
      of_worst = std::move(finished);
    }
  }
  for (auto& [slot, counts] : open) parts.add(std::move(counts));
  worst.parts = std::move(parts);
  if (violated(worst)) {
    if (bounds_ != nullptr) bounds_->add_others(held);
    of_worst->explain(worst, with_witness);
  }
  return worst;
}

bool Sweep::met_keys(std::vector<std::string>& keys) const {
  bool by_key = false;
  for (const Lock& lock : locks_) by_key |= lock.model != nullptr && lock.model->met_keys(keys);
  return by_key;
}

std::size_t Sweep::memory() const {
  std::size_t bytes = processes_.memory() + locks_.size() * sizeof(Lock) + kept_;
  for (const std::uint32_t slot : awake_) bytes += locks_[slot].model->memory();
  return bytes;
}

}  // namespace picklock
