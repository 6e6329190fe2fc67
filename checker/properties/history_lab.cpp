#include "checker/properties/history_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace picklock {

HoldId ScriptedHistory::hold(const std::string& client, const std::string& lock, HoldMode mode, std::int64_t token) {
  auto place = std::find(clients_.begin(), clients_.end(), client);
  if (place == clients_.end()) place = clients_.insert(place, client);
  HoldInfo info;
  info.lock = intern(lock);
  info.client = intern(client);
  info.process = static_cast<std::int32_t>(place - clients_.begin());
  info.token = token;
  info.mode = mode;
  history_.holds.push_back(info);
  return static_cast<HoldId>(history_.holds.size() - 1);
}

std::uint8_t ScriptedHistory::function(const std::string& name) {
  const NameId id = intern(name);
  auto& functions = history_.functions;
  auto place = std::find(functions.begin(), functions.end(), id);
  if (place == functions.end()) place = functions.insert(place, id);
  return static_cast<std::uint8_t>(place - functions.begin());
}

void ScriptedHistory::operation(std::int64_t time, std::int32_t process, OperationType type, const std::string& name,
                                const std::string& object, HoldId hold, std::int64_t token, Value value) {
  OperationEvent event;
  event.time = time;
  event.process = process;
  event.type = type;
  event.f = function(name);
  event.object = object.empty() ? kNoName : intern(object);
  event.hold = hold;
  event.token = token;
  event.value = value;
  add(time, event);
}

void ScriptedHistory::acquires(HoldId hold, std::int64_t from, std::int64_t until) {
  const HoldInfo info = history_.holds[hold];
  operation(from, info.process, OperationType::invoke, "acquire", "", hold);
  operation(until, info.process, OperationType::ok, "acquire", "", hold, info.token);
}

void ScriptedHistory::releases(HoldId hold, std::int64_t from, std::int64_t until) {
  const HoldInfo info = history_.holds[hold];
  operation(from, info.process, OperationType::invoke, "release", "", hold);
  operation(until, info.process, OperationType::ok, "release", "", hold);
}

void ScriptedHistory::reads(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version) {
  EffectEvent event;
  event.time = time;
  event.hold = hold;
  event.resource = intern(resource);
  event.version = version;
  event.kind = EffectKind::read;
  effect(event);
}

void ScriptedHistory::writes(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version,
                             bool acknowledged) {
  EffectEvent event;
  event.time = time;
  event.hold = hold;
  event.resource = intern(resource);
  event.version = version;
  event.kind = EffectKind::write;
  event.acknowledged = acknowledged;
  effect(event);
}

void ScriptedHistory::updates(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version,
                              std::uint64_t read_version, bool acknowledged) {
  writes(hold, time, resource, version, acknowledged);
  auto& event = std::get<EffectEvent>(records_.back().second);
  event.read_version = read_version;
  event.depends_on_read = true;
}

void ScriptedHistory::refused_write(HoldId hold, std::int64_t time, const std::string& resource, bool swallowed) {
  writes(hold, time, resource, 0, swallowed);
  std::get<EffectEvent>(records_.back().second).kind = EffectKind::refused_write;
}

History ScriptedHistory::build() {
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::uint32_t index = 0;
  for (auto& [time, record] : records_) {
    std::visit([&](auto& event) { event.index = index++; }, record);
    if (const auto* e = std::get_if<OperationEvent>(&record)) history_.operations.push_back(*e);
    if (const auto* e = std::get_if<BeliefEvent>(&record)) history_.beliefs.push_back(*e);
    if (const auto* e = std::get_if<GrantEvent>(&record)) history_.grants.push_back(*e);
    if (const auto* e = std::get_if<EffectEvent>(&record)) history_.effects.push_back(*e);
    if (const auto* e = std::get_if<ProcessEvent>(&record)) history_.processes.push_back(*e);
    if (const auto* e = std::get_if<PhaseEvent>(&record)) history_.phases.push_back(*e);
  }
  records_.clear();
  return std::move(history_);
}

std::string dump(const History& h) {
  std::map<std::uint32_t, std::string> lines;
  const auto view = [&](NameId id) { return id == kNoName ? "-" : h.names.view(id); };
  const auto number = [](auto value) { return static_cast<int>(value); };
  for (const auto& e : h.operations) {
    lines[e.index] = fmt::format("{:3} process {} {} {} of {} hold {} token {}", e.time, e.process, number(e.type),
                                 view(h.functions[e.f]), view(e.object), e.hold, e.token);
  }
  for (const auto& e : h.beliefs) {
    lines[e.index] = fmt::format("{:3} belief hold {} end {}", e.time, e.hold, number(e.end));
  }
  for (const auto& e : h.grants) {
    lines[e.index] =
        fmt::format("{:3} grant hold {} change {} until {} by {}", e.time, e.hold, number(e.change), e.until, e.by);
  }
  for (const auto& e : h.effects) {
    lines[e.index] =
        fmt::format("{:3} effect hold {} kind {} on {} version {} from {} ({}{})", e.time, e.hold, number(e.kind),
                    view(e.resource), e.version, e.read_version, e.acknowledged, e.depends_on_read);
  }
  for (const auto& e : h.processes) {
    lines[e.index] = fmt::format("{:3} client {} {}", e.time, view(e.client), number(e.change));
  }
  for (const auto& e : h.phases) {
    lines[e.index] = fmt::format("{:3} phase {}", e.time, number(e.phase));
  }
  std::string text;
  for (HoldId id = 1; id < h.holds.size(); ++id) {
    text += fmt::format("hold {}: lock {} client {} process {} token {} mode {}\n", id, view(h.holds[id].lock),
                        view(h.holds[id].client), h.holds[id].process, h.holds[id].token, number(h.holds[id].mode));
  }
  for (const auto& [index, line] : lines) text += fmt::format("{:3}: {}\n", index, line);
  return text;
}

Finding finding_on(Property property, const History& history, const JudgeOptions& options) {
  Scratch scratch;
  return judge_one(property, history, options, scratch);
}

}  // namespace picklock
