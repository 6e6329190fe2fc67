#include "checker/models/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace picklock {

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
    models_[slot] = choice_.info->make({tables_, lock, choice_.parameter, bounds_});
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
  if (role == kNoRole || event.process < 0) return;
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

ModelResult Sweep::finish() {
  ModelResult worst;
  const auto shown_at = [](const ModelResult& result) { return result.events.back().index; };
  std::size_t held = memory();
  for (auto& model : models_) {
    if (model == nullptr) continue;
    held -= model->memory();
    if (bounds_ != nullptr) bounds_->add_others(held);
    ModelResult result = model->finish();
    if (bounds_ != nullptr) bounds_->remove_others(held);
    model.reset();
    const bool violated = result.judgement == Judgement::violated;
    const bool worse = violated ? worst.judgement != Judgement::violated || shown_at(result) < shown_at(worst)
                                : result.judgement == Judgement::undecided && worst.judgement == Judgement::holds;
    if (worse) worst = std::move(result);
  }
  return worst;
}

std::size_t Sweep::memory() const {
  std::size_t bytes = processes_.memory();
  for (const auto& model : models_) bytes += model == nullptr ? 0 : model->memory();
  return bytes;
}

}  // namespace picklock
