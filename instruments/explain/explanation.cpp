#include "instruments/explain/explanation.hpp"

#include "base/check.hpp"
#include "checker/properties/properties.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

// The judge's words on each violation.
std::string finding_in_words(Experiments& experiments, const Trial& base, Property property) {
  auto compiled = Runner::compile(experiments.file_of(base).scenario);
  Runner& runner = *std::get<0>(compiled);
  const RunResult& result = runner.run(base.seed);
  return explain(of(result.findings, property), *result.history, result.judged_with);
}

}  // namespace

Explanation explain_trial(Experiments& experiments, const Trial& base, const Finders& finders) {
  Explanation e;
  e.base = base;
  e.seen = experiments.see(base);
  PICKLOCK_CHECK(e.seen.playable);
  experiments.bound_by(base);
  e.lock = e.seen.lock;
  std::vector<Property> violated;
  for (const PropertyInfo& p : properties()) {
    if (e.seen.violated(p.property)) violated.push_back(p.property);
  }
  for (const Property p : violated) {
    PropertyExplanation& one = e.properties.emplace_back();
    one.property = p;
    one.finding = finding_in_words(experiments, base, p);
    one.needs = finders.needs(experiments, base, p);
    one.quantities = finders.thresholds(experiments, base, p, one.needs);
  }
  if (!violated.empty()) e.cures = finders.cures(experiments, base, violated);
  for (PropertyExplanation& one : e.properties) one.assumptions = finders.assumptions(experiments, base, one.property);
  for (PropertyExplanation& one : e.properties) one.generality = finders.generality(experiments, base, one, e.cures);
  if (!violated.empty()) e.paragraph = finders.paragraph(e);
  for (Sentence& s : e.paragraph) s.about = finders.place(e, s);
  e.runs = experiments.runs();
  return e;
}

}  // namespace picklock
