#include "reports/run/idle_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/partition.hpp"
#include "faults/struck.hpp"
#include "reports/run/story.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

// Text of an options field, if there is one.
std::optional<std::string> field_of(AnyOptions options, std::string_view name) {
  FieldLister lister;
  options.fields(lister);
  for (const FieldText& f : lister.fields) {
    if (f.name == name) return f.text;
  }
  return std::nullopt;
}

std::string field_text(const AnyOptions& options, std::string_view name) {
  return field_of(options, name).value_or("");
}

bool same_story(const History& a, const History& b) {
  const std::vector<StoryLine> first = story_of(a), second = story_of(b);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const StoryLine& x, const StoryLine& y) { return x.time == y.time && x.text == y.text; });
}

}  // namespace

std::string words_of_fault(const Fault& fault) {
  if (fault.kind == "partition" && fault.options) {
    return "the " + name_in_words(fault.options.as<PartitionOptions>());
  }
  const std::string node = field_text(fault.options, "node"), task = field_text(fault.options, "task");
  std::string words = "the " + fault.kind;
  if (!node.empty()) words += fmt::format(" of {}{}", node, task.empty() ? "" : "'s task " + task);
  if (const auto from = field_of(fault.options, "from")) {
    const std::string to = field_text(fault.options, "to");
    if (from->empty() && to.empty()) words += " on all links";
    if (!from->empty()) words += " from " + *from;
    if (!to.empty()) words += " to " + to;
  }
  return words;
}

std::vector<IdleFault> idle_faults_of(const RunRecord& record, const HistoryWithout& without) {
  const Scenario& scenario = record.scenario();
  const std::vector<Strike> strikes = strikes_of(record.journal(), scenario.faults.size());
  std::vector<IdleFault> all;
  for (std::size_t i = 0; i < strikes.size(); ++i) {
    std::string why;
    switch (strikes[i]) {
      case Strike::not_injected:
        why = "its trigger never came";
        break;
      case Strike::missed:
        why = "there was nothing to disturb";
        break;
      case Strike::injected:
        if (const auto other = without(record, i); other != nullptr && same_story(*other, record.history()))
          why = "the story is the same without it";
        break;
    }
    if (!why.empty()) all.push_back({i, words_of_fault(scenario.faults[i]), std::move(why)});
  }
  return all;
}

std::string idle_faults_table(const Scenario& scenario, const FaultSummaries& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.size() && i < scenario.faults.size(); ++i) {
    if (faults[i].idle() == 0) continue;
    text += fmt::format("{}  {:<40} in {} of {} runs\n", text.empty() ? "\nfaults that struck nothing:\n" : "",
                        fmt::format("fault[{}], {}", i, words_of_fault(scenario.faults[i])), faults[i].idle(),
                        faults[i].runs);
  }
  return text;
}

std::string idle_faults_text(const std::vector<IdleFault>& faults) {
  std::string text;
  for (const IdleFault& f : faults) text += fmt::format("fault[{}], {}, struck nothing: {}\n", f.fault, f.words, f.why);
  return text;
}

}  // namespace picklock
