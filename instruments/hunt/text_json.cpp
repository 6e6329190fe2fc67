#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "campaigns/unseen_json.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/statistics.hpp"
#include "faults/text.hpp"
#include "instruments/hunt/calm.hpp"
#include "instruments/hunt/kept.hpp"
#include "instruments/hunt/text.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const std::vector<AssumptionKind>& kinds) {
  Json all = Json::array();
  for (const AssumptionKind k : kinds) all.push_back(info(k).name);
  return all;
}

Json names_of(const std::vector<Property>& properties) {
  Json all = Json::array();
  for (const Property p : properties) all.push_back(info(p).name);
  return all;
}

Json judged_json(const JudgedProperty& p) {
  const bool failed = p.count(Bearing::failed) > 0;
  return {{"property", info(p.property).name},
          {"verdict", failed            ? "violated"
                      : p.decided() > 0 ? "no violation"
                                        : "not tested"},
          {"plans", p.all()},
          {"decided", p.decided()},
          {"violated", p.count(Bearing::failed)},
          {"undecided", p.count(Bearing::undecided)},
          {"not_applicable", p.count(Bearing::not_applicable)},
          {"outside", p.count(Bearing::outside)},
          {"not_promised", p.count(Bearing::not_promised)},
          {"chance_below", failed || p.decided() == 0 ? Json() : Json(upper_bound_after_none(p.decided()))},
          {"open_because", p.undecided_by},
          {"outside_because", p.outside_by},
          {"decided_by", p.settle == Duration{} ? Json() : Json("phases.settle=" + to_text(p.settle))}};
}

Json finding_json(const HuntFinding& f, const Aim& aim, const std::string& origin) {
  const Shrunk& s = f.shrunk;
  Json faults = Json::array();
  for (const Fault& fault : s.scenario.faults) faults.push_back(to_text(fault));
  return {{"property", info(f.cause.failure.property).name},
          {"broken_assumptions", list_of(f.cause.failure.broken)},
          {"lock", f.cause.failure.lock},
          {"parties", f.cause.failure.parties},
          {"right_ended_by", f.cause.failure.right_end.empty() ? Json() : Json(f.cause.failure.right_end)},
          {"right_end", f.right_end.told.empty() ? Json() : Json(f.right_end.told)},
          {"cause", f.cause.faults},
          {"faults", faults},
          {"seed", s.seed},
          {"first_plan", f.plan},
          {"plans", f.count},
          {"shrink_runs", s.tries},
          {"subset_runs", s.set_tries},
          {"drawn_parts", drawn_parts(s.scenario)},
          {"drawn_faults", s.drawn_faults},
          {"also_violated", names_of(s.certificate.also)},
          {"subsets", s.certificate.subsets},
          {"subsets_tried", s.certificate.tried},
          {"certified", s.certificate.complete()},
          {"other_seeds", HuntFinding::kOtherSeeds},
          {"other_seeds_failing", f.others},
          {"fragile", f.fragile()},
          {"by_chance", f.by_chance(aim)},
          {"file", f.file.empty() ? Json() : Json(f.file)},
          {"scenario", kept_run(s.scenario, s.seed, kept_as(f, origin)).text}};
}

}  // namespace

std::string hunt_json(const HuntResult& r, const HuntSpace& space, const HuntOptions& o, const std::string& origin) {
  Json judged = Json::array();
  for (const JudgedProperty& p : r.judged) judged.push_back(judged_json(p));
  Json findings = Json::array();
  for (const HuntFinding& f : r.findings) findings.push_back(finding_json(f, o.aim, origin));
  Json errors = Json::array();
  for (const auto& [plan, error] : r.errors) errors.push_back({{"plan", plan}, {"error", error}});
  const Json document = {
      {"picklock", "hunt"},
      {"schema", 1},
      {"hunted", origin},
      {"lock", space.base.lock.name},
      {"properties", names_of(o.aim.properties)},
      {"claims_alone", o.aim.promised_alone},
      {"within_assumptions", o.aim.within_assumptions},
      {"beyond", o.aim.beyond ? Json(info(*o.aim.beyond).name) : Json()},
      {"against", o.aim.twin ? Json(o.aim.twin->name) : Json()},
      {"strategy", name(o.strategy)},
      {"hunt_seed", o.hunt_seed},
      {"plans", r.plans},
      {"runs", r.runs},
      {"failed_plans", r.failed},
      {"idle_plans", r.idle},
      {"plans_without_contention", r.alone},
      {"unplayable_plans", r.unplayable},
      {"plans_without_twin", r.no_twin},
      {"owner_never_named", r.unseen.runs == 0 ? Json() : unseen_json<Json>(r.unseen)},
      {"tested_much", r.tested_much()},
      {"tested_all", r.tested_all()},
      {"judged", judged},
      {"grid", r.grid.singles == 0 ? Json()
                                   : Json{{"single_faults", r.grid.singles},
                                          {"without_effect", r.grid.idle},
                                          {"in_pairs", r.grid.in_pairs},
                                          {"pairs_left_out", r.grid.pairs_left_out}}},
      {"complete", r.complete},
      {"interrupted", r.interrupted},
      {"findings", findings},
      {"errors", errors},
  };
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
