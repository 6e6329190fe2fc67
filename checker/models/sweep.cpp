#include "checker/models/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

Model& Sweep::model_of(NameId lock) {
  const std::size_t slot = lock == kNoName ? 0 : std::size_t{lock} + 1;
  if (slot >= models_.size()) models_.resize(slot + 1);
  if (models_[slot] == nullptr) {
    models_[slot] = choice_.info->make({tables_, lock, choice_.parameter, bounds_, choice_.initial});
  }
  return *models_[slot];
}

// The outcome of the pending operation stays open: the same as an info.
void Sweep::crash(Process& process, const OperationEvent& at) {
  OperationEvent end = process.invoke;
  end.type = OperationType::info;
  end.time = at.time;
  end.index = at.index;
  process.model->returned(process.invoke, end, process.role);
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
    if (process.pending) crash(process, event);
    if (process.crashed) process.model->outlived(process.invoke, process.role);
    process = {event, &model_of(event.object), role, true, false};
    process.model->invoked(event, role);
    ++operations_;
    acquires_ += role < choice_.info->taking;
    return;
  }
  if (!process.pending || process.role != role) {
    constexpr const char* kTypes[] = {"invoke", "ok", "fail", "info"};
    const auto name = choice_.info->functions[role];
    throw ImpossibleEvent(
        fmt::format("the {} of {} {} by process {}, which {}", kTypes[static_cast<std::size_t>(event.type)],
                    std::string_view("aeiou").find(name[0]) != std::string_view::npos ? "an" : "a", name, event.process,
                    process.pending ? "waits for something else" : "waits for nothing"),
        "a completion of what the process invoked");
  }
  process.pending = false;
  process.crashed = event.type == OperationType::info;
  process.model->returned(process.invoke, event, role);
}

std::string Sweep::name_of(std::size_t slot) const {
  return slot == 0 ? "operations that name no object"
                   : fmt::format("lock {}", tables_.names.view(static_cast<NameId>(slot - 1)));
}

// Turn by turn, so that no lock takes the time of the others.  As in a model of several keys, all violations of the
// first turn are compared, and a later turn ends with the first one.
ModelResult Sweep::finish() {
  ModelResult worst;
  PartCounts parts;
  ModelResult given_up;                    // undecided, and no turn will help; or holds
  std::map<std::size_t, PartCounts> open;  // by slot: of models that want another turn
  const auto shown_at = [](const ModelResult& result) { return result.events.back().index; };
  const auto violated = [](const ModelResult& result) { return result.verdict == Verdict::violated; };
  std::size_t held = memory();
  for (std::uint32_t turn = 0; turn == 0 || (!open.empty() && !violated(worst)); ++turn) {
    if (!violated(worst)) worst = given_up;
    for (std::size_t slot = 0; slot < models_.size(); ++slot) {
      auto& model = models_[slot];
      if (model == nullptr || (turn > 0 && violated(worst))) continue;
      const std::size_t own = model->memory();
      if (bounds_ != nullptr) bounds_->add_others(held - own);
      ModelResult result = model->finish(turn);
      if (bounds_ != nullptr) bounds_->remove_others(held - own);
      if (result.parts.decided + result.parts.open == 0) {
        if (result.verdict == Verdict::undecided) result.parts.add_open(name_of(slot));
        result.parts.decided = result.verdict != Verdict::undecided;
      }
      if (result.unfinished) {
        open[slot] = result.parts;
      } else {
        open.erase(slot);
        parts.add(std::move(result.parts));
        held -= own;
        model.reset();
        if (result.verdict == Verdict::undecided && given_up.verdict == Verdict::holds) given_up = result;
      }
      const bool worse = violated(result) ? !violated(worst) || shown_at(result) < shown_at(worst)
                                          : result.verdict == Verdict::undecided && worst.verdict == Verdict::holds;
      if (worse) worst = std::move(result);
    }
  }
  for (auto& [slot, counts] : open) parts.add(std::move(counts));
  worst.parts = std::move(parts);
  return worst;
}

std::size_t Sweep::memory() const {
  std::size_t bytes = processes_.memory();
  for (const auto& model : models_) bytes += model == nullptr ? 0 : model->memory();
  return bytes;
}

}  // namespace picklock
