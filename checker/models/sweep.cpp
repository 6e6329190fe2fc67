#include "checker/models/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "base/printable.hpp"
#include "checker/models/kept_state.hpp"
#include "checker/models/words.hpp"

namespace picklock {

void NamedParts::add(NamedParts others) {
  count += others.count;
  for (std::string& name : others.names) {
    if (names.size() < kNamed) names.push_back(std::move(name));
  }
}

void PartCounts::add(PartCounts others) {
  valid += others.valid;
  violated.add(std::move(others.violated));
  undecided.add(std::move(others.undecided));
  untested.add(std::move(others.untested));
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
  return {tables_, lock, choice_.parameter, bounds_, choice_.initial, naming_, each_, any_violation_};
}

// Makes the model of a lock, in the state in which it went to rest.
void Sweep::wake(std::uint32_t slot) {
  Lock& lock = locks_[slot];
  const NameId name = slot == 0 ? kNoName : slot - 1;
  lock.model = choice_.info->make(context_of(name));
  lock.met = true;
  if (lock.bytes == nullptr) return;
  StateReader state({lock.bytes.get(), lock.byte_count}, name);
  lock.model->restore(state);
  PICKLOCK_CHECK(state.finished());
  kept_ -= lock.byte_count;
  lock.bytes.reset();
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
  std::string bytes;
  std::erase_if(awake_, [&](std::uint32_t slot) { return rest(locks_[slot], bytes); });
  if (awake_at_least_ > 0) awake_most_ = std::max(awake_at_least_, 2 * awake_.size());
}

bool Sweep::rest(Lock& lock, std::string& bytes) {
  const auto state_of = [&](Model& model, std::string& to) {
    to.clear();
    StateWriter writer(to);
    const bool kept = model.keep(writer);
    writer.finish();
    return kept;
  };
  if (!state_of(*lock.model, bytes) || bytes.size() > kMostBytes) return false;
  if (at_first_.empty()) state_of(*choice_.info->make(context_of(kNoName)), at_first_);
  lock.model.reset();
  if (bytes == at_first_) return true;
  lock.bytes = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), lock.bytes.get());
  lock.byte_count = static_cast<std::uint32_t>(bytes.size());
  kept_ += bytes.size();
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
  awake(process.slot).returned(invoke, end, process.role);
  process.pending = false;
  process.crashed = true;
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
    if (process.crashed) awake(process.slot).outlived(invoke_of(event.process, process), process.role);
    process = {PackedEvent(event), slot_of(event.object), event.f, role, true, false};
    awake(process.slot).invoked(event, role);
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
  succeeded_ += event.type == OperationType::ok;
  failed_ += event.type == OperationType::fail;
  Model& model = awake(process.slot);
  const OperationEvent invoke = invoke_of(event.process, process);
  if (model.observes(invoke, event, role)) locks_[process.slot].observed = true;
  model.returned(invoke, event, role);
  if (!process.crashed) processes_.erase(event.process);
  if (awake_.size() > awake_most_) rest_some();
}

std::string Sweep::name_of(std::size_t slot) const {
  if (slot == 0) return "operations that name no object";
  return fmt::format("{} {}", each_ ? "key" : "lock", printable(tables_.names.view(static_cast<NameId>(slot - 1))));
}

// A model without parts of its own is one part.
void Sweep::count(ModelResult& result, std::size_t slot) const {
  if (result.parts.all() > 0) return;
  if (result.verdict == Verdict::violated) result.parts.violated.add(name_of(slot));
  if (result.verdict == Verdict::undecided) result.parts.undecided.add(name_of(slot));
  if (result.verdict != Verdict::holds) return;
  if (locks_[slot].observed) {
    ++result.parts.valid;
  } else {
    result.parts.untested.add(name_of(slot));
  }
}

void Sweep::note(const ModelResult& result, std::size_t slot) {
  if (!each_) return;
  PartVerdict& part = verdicts_[slot];
  part = {name_of(slot), result.verdict, result.parts.untested.count == 0, result.explanation};
}

// Turn by turn, so that no lock takes the time of the others.  As in a model of several keys, all violations of the
// first turn are compared, and a later turn ends with the first one, unless each part is to have its verdict.
ModelResult Sweep::finish(bool with_witness) {
  ModelResult worst;
  std::unique_ptr<Model> of_worst;  // outlives the others, to explain
  PartCounts parts;
  NamedParts overlaps;
  ModelResult given_up;                    // undecided, and no turn will help; or holds
  std::map<std::size_t, PartCounts> open;  // models that want another turn; key: slot
  const auto shown_at = [](const ModelResult& result) { return result.events.back().index; };
  const auto violated = [](const ModelResult& result) { return result.verdict == Verdict::violated; };
  std::size_t held = memory();
  const auto over = [&] { return violated(worst) && !each_; };
  for (std::uint32_t turn = 0; turn == 0 || (!open.empty() && !over()); ++turn) {
    if (!violated(worst)) worst = given_up;
    for (std::uint32_t slot = 0; slot < locks_.size(); ++slot) {
      auto& model = locks_[slot].model;
      const bool rests = turn == 0 && model == nullptr && locks_[slot].met;
      if (rests) wake(slot);
      if (model == nullptr || (turn > 0 && over())) continue;
      const std::size_t own = model->memory();
      if (rests) held += own;
      if (bounds_ != nullptr) bounds_->add_others(held - own);
      ModelResult result = model->finish(turn);
      if (bounds_ != nullptr) bounds_->remove_others(held - own);
      overlaps.add(std::move(result.overlaps));
      count(result, slot);
      note(result, slot);
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
  worst.overlaps = std::move(overlaps);
  if (violated(worst)) {
    if (bounds_ != nullptr) bounds_->add_others(held);
    of_worst->explain(worst, with_witness);
  }
  return worst;
}

std::vector<PartVerdict> Sweep::verdicts() const {
  std::vector<PartVerdict> all;
  for (const auto& [slot, part] : verdicts_) all.push_back(part);
  return all;
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
