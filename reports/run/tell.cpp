#include "reports/run/tell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "faults/text.hpp"
#include "reports/json.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string none_or(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

// "set-nx-px: ttl 100ms, retry 5ms..10ms": what differs from the lock's defaults.
std::string lock_in_words(const Scenario& scenario) {
  Scenario s = scenario;
  fill_in_options(s);
  std::string said;
  for_each_part(s, [&](const ScenarioPart& part) {
    if (part.path != "lock") return;
    FieldLister now, usual;
    part.fields.fields(now);
    part.defaults.fields(usual);
    for (const FieldText& f : now.fields) {
      if (f.name == "name" || std::find(usual.fields.begin(), usual.fields.end(), f) != usual.fields.end()) continue;
      said += fmt::format("{}{} {}", said.empty() ? ": " : ", ", f.name, f.text);
    }
  });
  return s.lock.name + said;
}

// Names in the one list and not in the other.
std::vector<std::string> only_in(const std::vector<std::string>& all, const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rest),
               [&](const std::string& name) { return std::find(others.begin(), others.end(), name) == others.end(); });
  return rest;
}

}  // namespace

std::string tell_text(const Tale& tale) {
  const ToldScenario& told = tale.told;
  const Scenario& s = told.scenario;
  std::string out = fmt::format("{}\n\n{}\n\n", s.name, s.description);
  out += fmt::format("lock:     {}\n", lock_in_words(s));
  std::vector<std::string> clients;
  for (const ClientSpec& c : s.clients) clients.push_back(c.name);
  out += fmt::format("clients:  {}\n", fmt::join(clients, ", "));
  for (std::size_t i = 0; i < s.faults.size(); ++i) out += fmt::format("fault[{}]: {}\n", i, to_text(s.faults[i]));
  for (const auto& setting : told.settings) out += fmt::format("changes:  {} = {}\n", setting.path, setting.value);
  out += fmt::format("violated: {} (seed 1)\n", none_or(told.violated));
  if (!told.error.empty()) out += told.error + "\n";
  if (!tale.siblings.empty()) out += "\nthe other scenarios of its file\n";
  for (const ToldScenario& other : tale.siblings) {
    out += fmt::format("\n  {}\n    {}\n", other.name, first_line_of(other.scenario.description));
    for (const auto& setting : other.settings) out += fmt::format("    {} = {}\n", setting.path, setting.value);
    const auto ended = only_in(told.violated, other.violated), added = only_in(other.violated, told.violated);
    const std::vector<LessService> less = less_service(told.service, other.service);
    const bool harmless = !told.violated.empty() && other.violated.empty();
    const bool starves = !ended.empty() && ends_service(less);
    out += harmless && !starves
               ? "    repaired: violates nothing (seed 1)\n"
               : fmt::format("    violates {}{}{}{} (seed 1)\n", none_or(other.violated),
                             ended.empty() ? "" : fmt::format("; no more {}", fmt::join(ended, ", ")),
                             starves ? fmt::format(", by ending service: {}", in_words(less)) : "",
                             added.empty() ? "" : fmt::format("; in addition {}", fmt::join(added, ", ")));
  }
  const std::string word = shell_word(told.name);
  return out + fmt::format("\nplay:     {1} run {0}\nexplain:  {1} explain {0}\n", word, program_name());
}

std::string tell_json(const Tale& tale) {
  using nlohmann::ordered_json;
  const auto told = [](const ToldScenario& t) {
    ordered_json one = {
        {"scenario", t.name}, {"description", t.scenario.description}, {"lock", lock_in_words(t.scenario)}};
    one["faults"] = ordered_json::array();
    for (const Fault& f : t.scenario.faults) one["faults"].push_back(to_text(f));
    one["settings"] = ordered_json::array();
    for (const auto& s : t.settings) one["settings"].push_back({{"path", s.path}, {"value", s.value}});
    one["violated_on_seed_1"] = t.violated;
    one["sections_on_seed_1"] = ordered_json::object();
    for (const ClientService& c : t.service) one["sections_on_seed_1"][c.client] = c.sections;
    if (!t.error.empty()) one["error"] = t.error;
    return one;
  };
  ordered_json out = {{"picklock", "tell"}, {"schema", kJsonSchema}};
  out.update(told(tale.told));
  out["others"] = ordered_json::array();
  for (const ToldScenario& other : tale.siblings) out["others"].push_back(told(other));
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
