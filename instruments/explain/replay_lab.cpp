#include "instruments/explain/replay_lab.hpp"

#include <cstdlib>
#include <utility>
#include <variant>

#include "checker/properties/named_owner.hpp"
#include "checker/properties/properties.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

// Splits a line as a shell does: words, single quotes, and a backslash outside of them.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quoted && c == ' ') {
      begun = false;
      continue;
    }
    if (!begun) words.emplace_back();
    begun = true;
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == '\\' && !quoted && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

Line parsed(const std::string& command) {
  Line line;
  const std::vector<std::string> words = shell_words(command);
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      line.scenario = words[i];
      continue;
    }
    const std::string& option = words[i];
    const std::string value = i + 1 < words.size() ? words[++i] : "";
    if (option == "--set") line.edits.set.push_back(value);
    if (option == "--without") line.edits.without.push_back(value);
    if (option == "--lock") line.edits.lock = value;
    if (option == "--seed") line.seed = std::strtoull(value.c_str(), nullptr, 10);
  }
  return line;
}

std::unique_ptr<Runner> runner_of(const Line& line) {
  ScenarioFile file = load_scenario(line.scenario);
  if (!file.ok() || !edit_scenario(file.scenario, line.edits).errors.empty()) return nullptr;
  auto compiled = Runner::compile(file.scenario);
  auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled);
  return runner == nullptr ? nullptr : std::move(*runner);
}

Replayed replayed(Runner& runner, std::uint64_t seed) {
  const RunResult& result = runner.run(seed);
  Replayed r;
  for (const Finding& f : result.findings) {
    if (f.verdict == Verdict::not_applicable) continue;
    const bool untested = f.verdict == Verdict::undecided && f.reason == Reason::vacuous;
    r.verdicts[std::string(info(f.property).name)] = untested ? "not tested" : std::string(name(f.verdict));
  }
  r.assessed = result.assumptions;
  for (const Assessment& a : result.assumptions) {
    if (a.broken()) r.broken.push_back(print(a.assumption));
  }
  r.events = result.events;
  for (const EffectEvent& e : result.history->effects)
    r.refused += e.kind == EffectKind::refused_read || e.kind == EffectKind::refused_write;
  const History& h = *result.history;
  std::uint32_t heal = UINT32_MAX;
  for (const PhaseEvent& e : h.phases) {
    if (e.phase == Phase::heal) heal = e.index;
  }
  for (const ClientSpec& c : runner.scenario().clients) r.served[c.name] = 0;
  for (const BeliefEvent& e : h.beliefs) {
    const auto client = r.served.find(std::string(h.names.view(h.holds[e.hold].client)));
    if (e.end == BeliefEnd::none && e.index < heal && client != r.served.end()) ++client->second;
  }
  std::map<std::string, HoldId> asks;
  for (const OperationEvent& e : h.operations) {
    const std::string client(h.names.view(h.holds[e.hold].client));
    const std::string_view f = h.names.view(h.functions[e.f]);
    if (e.index >= heal || !f.starts_with("acquire")) continue;
    asks[client] = e.type == OperationType::invoke ? e.hold : kNoHold;
  }
  for (const auto& [client, hold] : asks) {
    for (HoldId other = 1; hold != kNoHold && other < h.holds.size(); ++other) {
      const bool named = is_named_owner(h, other, heal) && h.names.view(h.holds[other].client) != client;
      if (named && h.holds[other].lock == h.holds[hold].lock) r.in_turn.insert(client);
    }
  }
  return r;
}

bool Replayed::violates(const std::string& property) const {
  const auto found = verdicts.find(property);
  return found != verdicts.end() && found->second == "violated";
}

}  // namespace picklock
