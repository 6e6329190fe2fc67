// A written scenario reads back equal.
#include <rapidcheck/gtest.h>

#include "scenarios/file/generator_lab.hpp"
#include "scenarios/file/hash.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/file/values.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

ScenarioFile read_ok(const std::string& text) {
  ScenarioFile file = read_scenario(text, "generated.toml");
  if (!file.ok()) RC_FAIL(print(file.errors[0]) + "\n" + text);
  return file;
}

RC_GTEST_PROP(RoundTrip, WrittenScenarioReadsBackEqual, ()) {
  const Scenario scenario = *any_scenario();
  const std::string text = write_scenario(scenario);
  RC_LOG() << text;
  const Scenario again = read_ok(text).scenario;
  RC_ASSERT(again.description == scenario.description);
  RC_ASSERT(again == scenario);
  RC_ASSERT(scenario_hash(again) == scenario_hash(scenario));
  RC_ASSERT(write_scenario(again) == text);
}

// Every field of every part, by its path.
RC_GTEST_PROP(RoundTrip, EveryFieldSetByItsPathIsThatField, ()) {
  const Scenario target = *any_scenario();
  Scenario built = target;
  Scenario other = target;
  const Scenario from = *any_scenario();
  // Parts there must be in both; of the rest, take everything from `target`.
  built.lock = from.lock;
  built.workload = from.workload;
  built.services = from.services;
  built.storage = from.storage;
  built.latency = from.latency;
  built.request_timeout = from.request_timeout;
  built.phases = from.phases;
  built.event_budget = from.event_budget;
  for (Fault& f : built.faults) f = Fault{f.kind, {}, {}};
  fill_in_options(built);
  for_each_part(other, [&](const ScenarioPart& part) {
    FieldLister lister;
    part.fields.fields(lister);
    for (const FieldText& f : lister.fields) {
      const std::string path = part.path.empty() ? f.name : part.path + "." + f.name;
      const auto error = set_in_scenario(built, assignment_of(path, f.text));
      if (error) RC_FAIL(print(*error));
    }
  });
  RC_ASSERT(write_scenario(built) == write_scenario(target));
}

RC_GTEST_PROP(RoundTrip, AnyTextIsReadOrRefusedWithAPlace, ()) {
  std::string text = write_scenario(*any_scenario());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const auto length = *rc::gen::inRange<std::size_t>(0, 10);
  text.replace(at, std::min(length, text.size() - at), *any_text());
  const ScenarioFile file = read_scenario(text, "damaged.toml");
  for (const ScenarioError& e : file.errors) {
    RC_ASSERT(e.line > 0U);
    RC_ASSERT(e.column > 0U);
    RC_ASSERT(!e.found.empty());
  }
}

}  // namespace
}  // namespace picklock
