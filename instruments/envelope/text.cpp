#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "instruments/envelope/envelope.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

std::string magnitude_text(const Envelope& e, const HazardEdge& edge, std::int64_t value) {
  if (edge.hazard->magnitude == Magnitude::rate) return fmt::format("{:.2f} %", static_cast<double>(value) / 1e4);
  const std::string text = to_readable(Duration{value});
  if (!e.has_lease) return text;
  return fmt::format("{} ({:.2f} leases)", text, static_cast<double>(value) / static_cast<double>(e.lease.ns));
}

// Says how far the ladder was tested, unless every seed went to its end.
std::string up_to(const Envelope& e, const HazardEdge& edge) {
  const std::int64_t tested = edge.tested_up_to.value_or(0);
  if (edge.hazard->magnitude == Magnitude::none || tested * 2 > edge.hazard->most(e.lease)) return "";
  return " up to " + magnitude_text(e, edge, tested) + ", not tested beyond";
}

std::string tested_seeds(const HazardEdge& edge) {
  return edge.contended == edge.seeds ? std::to_string(edge.seeds)
                                      : fmt::format("{} of {}", edge.contended, edge.seeds);
}

std::string edge_text(const Envelope& e, const HazardEdge& edge) {
  if (edge.contended == 0) return "not tested: no two clients contended where it struck";
  if (edge.edges.empty()) return fmt::format("never{}, {} seeds", up_to(e, edge), tested_seeds(edge));
  if (edge.hazard->magnitude == Magnitude::none) return fmt::format("{} of {} seeds", edge.violated, edge.seeds);
  std::string text = "from " + magnitude_text(e, edge, edge.edges.front());
  text += fmt::format("; median {} to {}", magnitude_text(e, edge, edge.low()), magnitude_text(e, edge, edge.high()));
  if (edge.violated < edge.seeds) text += fmt::format("; {} of {} seeds", edge.violated, edge.seeds);
  return text;
}

std::string claim_text(const Envelope& e, const HazardEdge& edge) {
  if (!edge.bound) return "-";
  if (edge.hazard->magnitude == Magnitude::none) return "must not happen";
  if (*edge.bound == 0) return "none at all";
  return "below " + magnitude_text(e, edge, *edge.bound);
}

std::string fit_text(const HazardEdge& edge) {
  std::string text(name(edge.fit));
  if (edge.fit == Fit::wrong) return text + fmt::format(", seed {}", *edge.refuting);
  if (edge.fit != Fit::covered || edge.beside.empty()) return text;
  text += " by ";
  for (std::size_t i = 0; i < edge.beside.size(); ++i)
    text += (i > 0 ? ", " : "") + std::string(info(edge.beside[i]).name);
  return text;
}

}  // namespace

std::string envelope_text(const std::vector<Envelope>& all) {
  std::string text;
  for (const Envelope& e : all) {
    text += fmt::format("{}{}\n\n| hazard | two clients are in | claimed | fit |\n|---|---|---|---|\n", e.lock,
                        e.has_lease ? ", lease " + to_readable(e.lease) : ", without a lease");
    for (const HazardEdge& edge : e.edges) {
      text += fmt::format("| {} | {} | {} | {} |\n", edge.hazard->name, edge_text(e, edge), claim_text(e, edge),
                          fit_text(edge));
    }
    text += "\n";
  }
  return text;
}

std::string edge_sentence(const Envelope& e, const HazardEdge& edge) {
  return fmt::format("{}, {}: {}; claimed: {}; {}", e.lock, edge.hazard->name, edge_text(e, edge), claim_text(e, edge),
                     fit_text(edge));
}

std::string envelope_json(const std::vector<Envelope>& all, std::uint64_t seeds) {
  Json locks = Json::array();
  for (const Envelope& e : all) {
    Json edges = Json::array();
    for (const HazardEdge& edge : e.edges) {
      const bool measured = !edge.edges.empty() && edge.hazard->magnitude != Magnitude::none;
      Json beside = Json::array();
      for (const AssumptionKind k : edge.beside) beside.push_back(info(k).name);
      const auto number = [&](bool there, std::int64_t v) { return there ? Json(v) : Json(); };
      const bool rate = edge.hazard->magnitude == Magnitude::rate;
      edges.push_back({{"hazard", edge.hazard->name},
                       {"assumption", info(edge.hazard->assumption).name},
                       {"unit", edge.hazard->magnitude == Magnitude::none ? Json() : Json(rate ? "ppm" : "ns")},
                       {"seeds", edge.seeds},
                       {"seeds_contended", edge.contended},
                       {"tested_up_to", number(edge.tested_up_to.has_value(), edge.tested_up_to.value_or(0))},
                       {"seeds_violated", edge.violated},
                       {"smallest", number(measured, measured ? edge.edges.front() : 0)},
                       {"median_low", number(measured, measured ? edge.low() : 0)},
                       {"median_high", number(measured, measured ? edge.high() : 0)},
                       {"claimed", number(edge.bound.has_value(), edge.bound.value_or(0))},
                       {"fit", name(edge.fit)},
                       {"broken_beside", beside},
                       {"refuting_seed", edge.refuting ? Json(*edge.refuting) : Json()},
                       {"runs", edge.runs}});
    }
    locks.push_back({{"lock", e.lock}, {"lease_ns", e.has_lease ? Json(e.lease.ns) : Json()}, {"hazards", edges}});
  }
  const Json document = {{"picklock", "envelope"}, {"schema", 1}, {"seeds", seeds}, {"locks", locks}};
  return document.dump(2) + "\n";
}

}  // namespace picklock
