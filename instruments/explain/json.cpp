#include "instruments/explain/json.hpp"

#include <nlohmann/json.hpp>

#include "checker/properties/properties.hpp"
#include "instruments/explain/citations.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

using nlohmann::ordered_json;

class ExplanationWriter {
 public:
  ExplanationWriter(const Explanation& e, Experiments& experiments) : e_(e), experiments_(experiments) {}

  std::string write() {
    ordered_json out = {{"picklock", "explain"}, {"schema", kJsonSchema}};
    out["scenario"] = e_.base.scenario;
    out["seed"] = e_.base.seed;
    out["lock"] = e_.lock;
    out["run"] = cited(e_.base);
    out["paragraph"] = all(e_.paragraph, &ExplanationWriter::sentence);
    out["properties"] = all(e_.properties, &ExplanationWriter::property);
    out["cures"] = all(e_.cures, &ExplanationWriter::cure);
    out["runs"] = ordered_json::array();
    for (std::size_t i = 0; i < citations_.trials().size(); ++i)
      out["runs"].push_back(run(i + 1, citations_.trials()[i]));
    out["runs_made"] = e_.runs;
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  std::size_t cited(const Trial& trial) { return citations_.of(trial); }
  template <class T>
  ordered_json all(const std::vector<T>& values, ordered_json (ExplanationWriter::*one)(const T&)) {
    ordered_json list = ordered_json::array();
    for (const T& v : values) list.push_back((this->*one)(v));
    return list;
  }
  static ordered_json names(const std::vector<Property>& all) {
    ordered_json list = ordered_json::array();
    for (const Property p : all) list.push_back(std::string(info(p).name));
    return list;
  }
  ordered_json trial(const Trial& t) { return cited(t); }

  ordered_json sentence(const Sentence& s) {
    return {{"text", s.text},
            {"claims", s.claims},
            {"runs", all(s.trials, &ExplanationWriter::trial)},
            {"about", s.about.empty() ? std::string(info(e_.properties.front().property).name) : s.about}};
  }

  ordered_json property(const PropertyExplanation& p) {
    property_ = p.property;
    ordered_json out = {{"property", std::string(info(p.property).name)}, {"finding", p.finding}};
    out["needs"] = needs(p.needs);
    out["quantities"] = all(p.quantities, &ExplanationWriter::quantity);
    out["assumptions"] = assumptions(p.assumptions);
    out["generality"] = generality(p);
    return out;
  }

  ordered_json needs(const Needed& n) {
    ordered_json out;
    out["each"] = all(n.each, &ExplanationWriter::removal);
    out["sets"] = ordered_json::array();
    for (const JointRemoval& set : n.sets) {
      out["sets"].push_back({{"elements", set.elements}, {"run", cited(set.trial)}});
    }
    out["sets_tried"] = n.sets_tried;
    out["smallest"] = {
        {"run", cited(n.smallest)}, {"elements", n.left}, {"one_less", all(n.one_less, &ExplanationWriter::trial)}};
    return out;
  }
  ordered_json removal(const Removal& r) {
    return {{"kind", r.element.kind},
            {"path", r.element.path},
            {"words", r.element.words},
            {"needed", r.needed},
            {"along", r.along},
            {"run", cited(r.trial)},
            {"verdict_without", std::string(experiments_.see(r.trial).word(property_))}};
  }

  ordered_json tried(const Tried& t) { return {{"value", t.value}, {"violated", t.harmful}, {"run", cited(t.trial)}}; }
  ordered_json threshold(const Threshold& t) {
    return {{"below", tried(t.below)},
            {"above", tried(t.above)},
            {"far_below", tried(t.far_below)},
            {"far_above", tried(t.far_above)}};
  }
  ordered_json quantity(const Quantity& q) {
    return {{"path", q.path},
            {"words", q.words},
            {"value", q.value},
            {"thresholds", all(q.thresholds, &ExplanationWriter::threshold)},
            {"tried", all(q.probes, &ExplanationWriter::tried)}};
  }

  ordered_json assumptions(const Assumptions& a) {
    ordered_json out;
    out["broken"] = ordered_json::array();
    for (const BrokenAssumption& b : a.broken) {
      ordered_json one = {{"assumption", print(b.assessment.assumption)}, {"observed", b.assessment.observed}};
      one["alone"] = b.alone ? ordered_json(cited(*b.alone)) : ordered_json(nullptr);
      out["broken"].push_back(std::move(one));
    }
    out["violating_runs_searched"] = a.searched;
    out["none_broken"] = a.unprovoked ? ordered_json(cited(*a.unprovoked)) : ordered_json(nullptr);
    return out;
  }

  static ordered_json share(const Share& s) { return {{"hits", s.hits}, {"of", s.of}}; }
  ordered_json shares(const std::vector<Share>& all_shares) {
    ordered_json list = ordered_json::array();
    for (const Share& s : all_shares) list.push_back(s.of == 0 ? ordered_json(nullptr) : share(s));
    return list;
  }
  static ordered_json sides(const std::vector<Generality::Sides>& all_sides) {
    ordered_json list = ordered_json::array();
    for (const auto& s : all_sides) list.push_back({{"far_below", share(s.below)}, {"far_above", share(s.above)}});
    return list;
  }
  ordered_json generality(const PropertyExplanation& p) {
    const Generality& g = p.generality;
    return {{"seeds", {{"first", g.first}, {"last", g.last}}},
            {"violated", share(g.violated)},
            {"not_tested", share(g.not_tested)},
            {"needed", shares(g.needed)},
            {"thresholds", sides(g.thresholds)},
            {"cures", shares(g.cures)}};
  }

  static ordered_json costs(const std::optional<TrialCosts>& c, std::size_t run) {
    if (!c) return nullptr;
    return {{"run", run},
            {"asked", c->asked},
            {"granted", c->granted},
            {"commands", c->commands},
            {"latency_mean_ns", c->latency_ns}};
  }
  ordered_json cure(const Cure& c) {
    ordered_json out = {{"cure", c.name},
                        {"words", c.words},
                        {"state", std::string(kEnumNames<CureState>[static_cast<std::size_t>(c.state)])}};
    if (c.state != CureState::tried) {
      out["why"] = c.why;
      return out;
    }
    out["run"] = cited(c.trial);
    out["ended"] = names(c.ended);
    out["remaining"] = names(c.remaining);
    out["added"] = names(c.added);
    out["refused_requests"] = c.refused;
    out["ends_service"] = c.by_ending_service();
    out["less_service"] = ordered_json::array();
    for (const LessService& l : c.less)
      out["less_service"].push_back({{"client", l.client},
                                     {"before", l.before},
                                     {"after", l.after},
                                     {"when_healed", l.when_healed},
                                     {"in_turn", l.in_turn}});
    out["cost_without_faults"] = {{"before", costs(c.before, cited(c.calm_before))},
                                  {"after", costs(c.after, cited(c.calm_after))}};
    return out;
  }

  ordered_json run(std::size_t number, const Trial& t) {
    const Observed& seen = experiments_.see(t);
    ordered_json out = {{"run", number},        {"command", command_of(t)}, {"scenario", t.scenario},
                        {"lock", t.edits.lock}, {"set", t.edits.set},       {"without", t.edits.without},
                        {"seed", t.seed}};
    if (!seen.error.empty()) out["error"] = seen.error;
    out["verdicts"] = ordered_json::object();
    for (const PropertyInfo& p : properties()) {
      if (seen.of(p.property) != Verdict::not_applicable)
        out["verdicts"][std::string(p.name)] = std::string(seen.word(p.property));
    }
    out["broken_assumptions"] = seen.broken();
    return out;
  }

  const Explanation& e_;
  Experiments& experiments_;
  Citations citations_;
  Property property_{};
};

}  // namespace

std::string explanation_json(const Explanation& explanation, Experiments& experiments) {
  return ExplanationWriter(explanation, experiments).write();
}

}  // namespace picklock
