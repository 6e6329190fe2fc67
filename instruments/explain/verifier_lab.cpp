#include "instruments/explain/verifier_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/explain/replay_lab.hpp"
#include "scenarios/run/costs.hpp"

namespace picklock {
namespace {

using nlohmann::json;

class Verifier {
 public:
  Verifier(const json& document, bool thorough) : doc_(document), thorough_(thorough) {}

  std::vector<std::string> verify() {
    runs();
    if (!wrong_.empty()) return wrong_;  // parts that refer to missing runs cannot be checked
    base_ = doc_["run"];
    for (const json& p : doc_["properties"]) {
      property_ = p["property"];
      check(run(base_).violates(property_), "properties", "is not violated");
      needs(p["needs"]);
      quantities(p["quantities"]);
      assumptions(p["assumptions"]);
      generality(p);
    }
    for (const json& c : doc_["cures"]) cure(c);
    paragraph();
    return wrong_;
  }

 private:
  void check(bool so, const char* kind, const std::string& what) {
    if (!so) wrong_.push_back(fmt::format("{}: {}: {}", kind, property_, what));
  }
  const Replayed& run(std::size_t number) { return runs_.at(number); }
  const Line& line(std::size_t number) { return lines_.at(number); }

  void runs() {
    for (const json& r : doc_["runs"]) {
      const std::size_t number = r["run"];
      const Line l = parsed(r["command"]);
      lines_[number] = l;
      const bool same = l.scenario == r["scenario"] && l.edits.lock == r["lock"] && json(l.edits.set) == r["set"] &&
                        json(l.edits.without) == r["without"] && l.seed == r["seed"];
      check(same, "runs", fmt::format("{}: the command is another than its parts", number));
      const auto runner = runner_of(l);
      if (!runner) {
        check(false, "runs", fmt::format("{} cannot be played: {}", number, std::string(r["command"])));
        continue;
      }
      const Replayed found = replayed(*runner, l.seed);
      runs_[number] = found;
      check(json(found.verdicts) == r["verdicts"], "runs",
            fmt::format("{}: verdicts {}, said {}", number, json(found.verdicts).dump(), r["verdicts"].dump()));
      check(json(found.broken) == r["broken_assumptions"], "runs", fmt::format("{}: other assumptions", number));
    }
  }

  // The edits of a run beside those of the base.
  std::vector<std::string> added_edits(std::size_t number, bool set) {
    const ScenarioEdits &base = line(base_).edits, &own = line(number).edits;
    std::vector<std::string> more = set ? own.set : own.without;
    const std::vector<std::string>& before = set ? base.set : base.without;
    const bool begins_so = more.size() >= before.size() && std::equal(before.begin(), before.end(), more.begin());
    check(begins_so && own.lock == base.lock && line(number).seed == line(base_).seed, "runs",
          fmt::format("{} is not an edit of the base", number));
    more.erase(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(std::min(before.size(), more.size())));
    return more;
  }
  bool leaves_out(std::size_t number, const std::string& path) {
    const std::vector<std::string> without = added_edits(number, false), set = added_edits(number, true);
    const std::string field = path.substr(0, path.find('['));  // field of a step: "clients.a.locks[0]"
    return std::find(without.begin(), without.end(), path) != without.end() ||
           std::any_of(set.begin(), set.end(), [&](const std::string& s) { return s.starts_with(field + "="); });
  }

  void needs(const json& n) {
    for (const json& e : n["each"]) {
      const std::string path = e["path"];
      const std::size_t number = e["run"];
      check(leaves_out(number, path), "needs", path + " is not left out");
      const std::size_t edits = added_edits(number, false).size() + added_edits(number, true).size();
      check(edits == 1 + e["along"].size(), "needs", path + ": more is left out than is said");
      check(e["needed"] == !run(number).violates(property_), "needs",
            fmt::format("{} is {}needed", path, e["needed"] ? "not " : ""));
      const auto& verdicts = run(number).verdicts;
      const auto found = verdicts.find(property_);
      check(e["verdict_without"] == (found == verdicts.end() ? "not applicable" : found->second), "needs",
            path + ": another verdict without it");
    }
    for (const json& s : n["sets"]) {
      const std::size_t number = s["run"];
      check(s["elements"].size() >= 2, "needs", "a set of one");
      check(!run(number).violates(property_), "needs", "a set that does not end the violation");
      for (const std::size_t i : s["elements"]) {
        check(n["each"][i]["needed"] == false, "needs", "a set with a part that is needed alone");
        check(leaves_out(number, n["each"][i]["path"]), "needs", "a part of a set is not left out");
      }
    }
    const json& smallest = n["smallest"];
    check(run(smallest["run"]).violates(property_), "needs", "the smallest scenario does not violate it");
    std::set<std::size_t> left;
    for (const std::size_t i : smallest["elements"]) left.insert(i);
    for (std::size_t i = 0; i < n["each"].size(); ++i) {
      const bool gone = leaves_out(smallest["run"], n["each"][i]["path"]);
      check(!(gone && left.contains(i)), "needs", "the smallest scenario lacks what it is said to have");
    }
    check(smallest["one_less"].size() == left.size(), "needs",
          "the smallest scenario was not tried with one part less");
    for (const std::size_t number : smallest["one_less"])
      check(!run(number).violates(property_), "needs", "the smallest scenario could be smaller");
  }

  // Nanoseconds, or the integer itself; nothing for "none".
  static std::optional<std::int64_t> number_of(const std::string& value) {
    if (value == "none") return std::nullopt;
    if (const auto d = parse_duration(value)) return d->ns;
    return std::strtoll(value.c_str(), nullptr, 10);
  }

  void tried(const std::string& path, const json& t) {
    const std::string value = t["value"];
    const std::vector<std::string> set = added_edits(t["run"], true);
    const bool at_this_value = set.empty() ? t["run"] == base_ : set == std::vector<std::string>{path + "=" + value};
    check(at_this_value && added_edits(t["run"], false).empty(), "thresholds", path + ": not the value that was tried");
    check(t["violated"] == run(t["run"]).violates(property_), "thresholds", fmt::format("{} at {}", path, value));
  }

  void quantities(const json& all) {
    for (const json& q : all) {
      const std::string path = q["path"];
      std::size_t turns = 0;
      for (std::size_t i = 0; i < q["tried"].size(); ++i) {
        tried(path, q["tried"][i]);
        if (i > 0) turns += q["tried"][i]["violated"] != q["tried"][i - 1]["violated"];
      }
      check(turns == q["thresholds"].size(), "thresholds", path + ": the values that were tried turn elsewhere");
      for (const json& t : q["thresholds"]) {
        tried(path, t["below"]);
        tried(path, t["above"]);
        tried(path, t["far_below"]);
        tried(path, t["far_above"]);
        check(t["below"]["violated"] != t["above"]["violated"], "thresholds", path + ": both sides are the same");
        const auto low = number_of(t["below"]["value"]), high = number_of(t["above"]["value"]);
        if (!low || !high) continue;
        const std::int64_t gap = std::abs(*high - *low), size = std::max(std::abs(*low), std::abs(*high));
        check(gap <= std::max<std::int64_t>(size / 50, 2000), "thresholds",
              fmt::format("{}: {} and {} are far apart", path, std::string(t["below"]["value"]),
                          std::string(t["above"]["value"])));
      }
    }
  }

  // The broken assumptions of a run that a claim about this property needs.
  std::vector<std::string> broken_in(const Replayed& r) const {
    std::vector<std::string> broken;
    for (const Assessment& a : r.assessed) {
      if (a.broken() && concerns(a, *find_property(property_))) broken.push_back(print(a.assumption));
    }
    return broken;
  }

  void assumptions(const json& a) {
    std::vector<std::string> broken;
    for (const json& b : a["broken"]) broken.push_back(b["assumption"]);
    check(broken == broken_in(run(base_)), "assumptions", "others are broken");
    for (const json& b : a["broken"]) {
      if (b["alone"].is_null()) continue;
      const Replayed& r = run(b["alone"]);
      // Its limit may be another there, as the lease may be.
      const std::string name = std::string(b["assumption"]).substr(0, std::string(b["assumption"]).find('('));
      const std::vector<std::string> there = broken_in(r);
      const bool alone = there.size() == 1 && there[0].substr(0, there[0].find('(')) == name;
      check(alone && r.violates(property_), "assumptions", name + " is not shown to suffice alone");
    }
    if (!a["none_broken"].is_null()) {
      const Replayed& r = run(a["none_broken"]);
      check(broken_in(r).empty() && r.violates(property_), "assumptions", "one is broken");
    }
  }

  static json names_where(const Replayed& now, const Replayed& before, bool was, bool is) {
    json all = json::array();
    for (const PropertyInfo& p : properties()) {
      const std::string name(p.name);
      if (before.violates(name) == was && now.violates(name) == is) all.push_back(name);
    }
    return all;
  }

  void costs(const json& said) {
    if (said.is_null()) return;
    const Line l = lines_.at(said["run"]);
    const auto runner = runner_of(l);
    runner->run(l.seed, {.full_trace = true});
    const Costs c = costs_of(runner->record());
    check(said["asked"] == c.asked && said["granted"] == c.granted && said["commands"] == c.commands &&
              said["latency_mean_ns"] == spread_of(c.latency_ns).mean,
          "cures", "the costs are others");
  }

  void cure(const json& c) {
    const std::string name = c["cure"];
    property_ = name;
    if (c["state"] != "tried") {
      check(!std::string(c["why"]).empty(), "cures", "no reason is given");
      return;
    }
    const Replayed &before = run(base_), &now = run(c["run"]);
    check(c["ended"] == names_where(now, before, true, false), "cures", "what it ends");
    check(c["remaining"] == names_where(now, before, true, true), "cures", "what it leaves");
    check(c["added"] == names_where(now, before, false, true), "cures", "what it brings");
    check(c["refused_requests"] == now.refused, "cures", "refused requests");
    check(c["ends_service"] == (!c["ended"].empty() && starves(before, now)), "cures", "whether it ends service");
    costs(c["cost_without_faults"]["before"]);
    costs(c["cost_without_faults"]["after"]);
  }

  // Whether a client that believed in holds does so no more, or less than half as often.
  static bool starves(const Replayed& before, const Replayed& now) {
    return std::any_of(before.served.begin(), before.served.end(), [&](const auto& client) {
      const auto later = now.served.find(client.first);
      return later != now.served.end() && !now.in_turn.contains(client.first) && later->second * 2 < client.second;
    });
  }

  // Verdicts of the property by seed, for the edits of a run; "" of a run that is too long to be counted.
  std::vector<std::string> over_seeds(std::size_t number, const json& seeds) {
    std::vector<std::string> all;
    served_.clear();
    const auto runner = runner_of(line(number));
    for (std::uint64_t seed = seeds["first"]; seed <= std::uint64_t{seeds["last"]}; ++seed) {
      const Replayed r = replayed(*runner, seed);
      served_.push_back(r);
      if (r.events > std::clamp<std::uint64_t>(20 * run(base_).events, 50'000, 500'000)) {
        all.emplace_back();
        continue;
      }
      const auto found = r.verdicts.find(property_);
      all.push_back(found == r.verdicts.end() ? "not applicable" : found->second);
    }
    return all;
  }
  static std::uint64_t count(const std::vector<std::string>& all, const char* word) {
    return static_cast<std::uint64_t>(std::count(all.begin(), all.end(), word));
  }
  static std::uint64_t counted(const std::vector<std::string>& all) { return all.size() - count(all, ""); }

  void generality(const json& p) {
    const json& g = p["generality"];
    const std::vector<std::string> base = over_seeds(base_, g["seeds"]);
    check(base.size() == 100 && g["violated"]["of"] == counted(base), "generality", "not a hundred seeds");
    check(g["violated"]["hits"] == count(base, "violated"), "generality", "another number of seeds violates it");
    check(g["not_tested"]["hits"] == count(base, "not tested"), "generality", "another number does not test it");
    if (!thorough_) return;
    const std::vector<Replayed> served = served_;
    const auto ended = [&](const json& said, std::size_t number, bool serving) {
      if (said.is_null()) return;
      const std::vector<std::string> now = over_seeds(number, g["seeds"]);
      std::uint64_t hits = 0, of = 0;
      for (std::size_t i = 0; i < base.size(); ++i) {
        if (base[i] != "violated" || now[i].empty()) continue;
        ++of;
        hits += now[i] != "violated" && !(serving && starves(served[i], served_[i]));
      }
      check(said["hits"] == hits && said["of"] == of, "generality", "a removal or cure ends it on other seeds");
    };
    for (std::size_t i = 0; i < g["needed"].size(); ++i) ended(g["needed"][i], p["needs"]["each"][i]["run"], false);
    for (std::size_t i = 0; i < g["cures"].size(); ++i) {
      if (doc_["cures"][i]["state"] == "tried") ended(g["cures"][i], doc_["cures"][i]["run"], true);
    }
    std::size_t place = 0;
    for (const json& q : p["quantities"]) {
      for (const json& t : q["thresholds"]) {
        for (const char* const side : {"far_below", "far_above"}) {
          const std::vector<std::string> now = over_seeds(t[side]["run"], g["seeds"]);
          const bool harmful = t[std::string(side).substr(4)]["violated"];
          const std::uint64_t violating = count(now, "violated"), of = counted(now);
          const json& said = g["thresholds"][place][side];
          check(said["hits"] == (harmful ? violating : of - violating) && said["of"] == of, "generality",
                "the threshold of " + std::string(q["path"]));
        }
        ++place;
      }
    }
  }

  void sentence(const std::string& text, const std::string& claim, const json& is) {
    const auto says = [&](const std::string& words) { return text.find(words) != std::string::npos; };
    if (claim.find("/needs/each/") != std::string::npos) {
      check(is["needed"] == true && says(is["words"]), "paragraph", claim);
    } else if (claim.find("/thresholds/") != std::string::npos) {
      const json &harmless = is["below"]["violated"] ? is["above"] : is["below"],
                 &harmful = is["below"]["violated"] ? is["below"] : is["above"];
      check(says(fmt::format(" is {} it is not violated, and if that is {} it is", std::string(harmless["value"]),
                             std::string(harmful["value"]))),
            "paragraph", claim);
    } else if (claim.find("/assumptions/broken/") != std::string::npos) {
      check(says(is["assumption"]), "paragraph", claim);
    } else if (claim.ends_with("/ended")) {
      for (const json& name : is) check(says(name) && name != doc_["properties"][0]["property"], "paragraph", claim);
    } else if (claim.starts_with("cures/")) {
      // The text names what ends it, then what leaves it, then what ends it by ending service.
      const std::size_t service = std::min(text.find("by ending service"), text.size());
      const std::size_t split = std::min(text.find("remains"), service);
      const bool ends =
          std::find(is["ended"].begin(), is["ended"].end(), doc_["properties"][0]["property"]) != is["ended"].end();
      const std::string name = is["words"];
      const std::string part = ends && is["ends_service"] ? text.substr(service)
                               : ends                     ? text.substr(0, split)
                                                          : text.substr(split, service - split);
      check(part.find(name) != std::string::npos, "paragraph", claim);
    } else if (claim.ends_with("/generality")) {
      check(says(fmt::format("on {} of {} other seeds", std::uint64_t{is["violated"]["hits"]},
                             std::uint64_t{is["violated"]["of"]})),
            "paragraph", claim);
    } else if (claim.find('/') == claim.rfind('/')) {  // "properties/1"
      check(says(is["property"]), "paragraph", claim);
    }
  }

  // Faults and clients that a claim is about: "fault[0]", "clients.a".
  std::set<std::string> parts_of(const std::string& claim) const {
    const json& needs = doc_["properties"][0]["needs"];
    std::vector<std::string> paths;
    const std::string quantity = claim.substr(0, claim.find("/thresholds"));
    const json& is = doc_[json::json_pointer("/" + quantity)];
    if (is.contains("path")) paths.push_back(is["path"]);
    if (is.contains("elements")) {
      for (const std::size_t i : is["elements"]) paths.push_back(needs["each"][i]["path"]);
    }
    std::set<std::string> parts;
    for (const std::string& path : paths) {
      if (path.starts_with("fault[")) parts.insert(path.substr(0, path.find(']') + 1));
      if (path.starts_with("clients.")) parts.insert(path.substr(0, path.find('.', 8)));
    }
    return parts;
  }
  void place_in_picture(const std::string& about, const std::set<std::string>& parts, const std::string& text) {
    const bool violation = about == doc_["properties"][0]["property"];
    const bool faults = !parts.empty() && parts.rbegin()->starts_with("fault[");
    check(violation ? parts.empty() : parts.contains(about), "places", about + " is not what it says: " + text);
    check(!faults || about.starts_with("fault["), "places", "leads to no fault: " + text);
  }

  void paragraph() {
    property_ = "";
    const json& all = doc_["paragraph"];
    check(doc_["properties"].empty() == all.empty() && all.size() <= 8, "paragraph", "one to eight sentences");
    for (const json& s : all) {
      const std::string text = s["text"];
      check(text.ends_with(".") && !s["runs"].empty() && !s["claims"].empty(), "paragraph",
            "refers to no run: " + text);
      for (const std::size_t number : s["runs"])
        check(runs_.contains(number), "paragraph", "refers to no run: " + text);
      std::set<std::string> parts;  // parts of the scenario that the claims are about
      for (const std::string claim : s["claims"]) {
        const json::json_pointer place("/" + claim);
        check(doc_.contains(place), "paragraph", "no claim " + claim);
        if (!doc_.contains(place)) continue;
        sentence(text, claim, doc_[place]);
        if (claim.starts_with("properties/0/needs/") || claim.starts_with("properties/0/quantities/"))
          parts.merge(parts_of(claim));
      }
      place_in_picture(s["about"], parts, text);
    }
  }

  const json& doc_;
  const bool thorough_;
  std::map<std::size_t, Line> lines_;
  std::map<std::size_t, Replayed> runs_;
  std::size_t base_ = 0;
  std::string property_;
  std::vector<Replayed> served_;  // runs served to over_seeds, seed by seed
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> wrong_claims(const std::string& explanation_json, bool thorough) {
  const json document = json::parse(explanation_json, nullptr, false);
  if (document.is_discarded()) return {"document: no JSON"};
  return Verifier(document, thorough).verify();
}

}  // namespace picklock
