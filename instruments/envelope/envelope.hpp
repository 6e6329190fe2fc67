// The envelope of a lock: for each hazard alone, the smallest magnitude that lets two clients in.
//
// For each seed a ladder of magnitudes is climbed until two clients are in somewhere, and the gap below is narrowed by
// bisection.  Where verdicts are not monotone, the gap is that below the first rung that fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "instruments/envelope/hazards.hpp"

namespace picklock {

enum class Fit : std::uint8_t {
  tight,         // two clients are in from about the claimed bound on
  conservative,  // violated only from a quarter beyond the bound on, or never
  covered,       // below the bound, but each such run breaks another assumption as well
  wrong,         // a run with two clients in meets all assumptions of the lock
  unclaimed,     // the lock does not mention this hazard
  untested       // no run had two clients in, or tested the hazard beyond the bound
};
std::string_view name(Fit fit);

struct HazardEdge {
  const Hazard* hazard = nullptr;
  std::uint64_t seeds = 0, violated = 0;
  std::vector<std::int64_t> edges;        // smallest failing magnitude of each violated seed, sorted
  std::optional<std::int64_t> bound;      // limit that the lock claims; 0 for hazards without magnitude
  std::vector<AssumptionKind> beside;     // assumptions also broken in the run of the smallest edge
  std::optional<std::uint64_t> refuting;  // seed whose run meets all assumptions and lets two clients in
  std::uint64_t runs = 0, contended = 0;
  // The greatest magnitude that each seed was put to the test with: below it no run was cut off, and clients contended.
  std::optional<std::int64_t> tested_up_to;
  bool interrupted = false;  // some seeds were not climbed to their end
  Fit fit = Fit::unclaimed;

  // Interval of 95 % for the median over seeds, from order statistics; requires edges.
  std::int64_t median() const { return edges[edges.size() / 2]; }
  std::int64_t low() const;
  std::int64_t high() const;
};

struct Envelope {
  std::string lock;
  Duration lease{};
  bool has_lease = true;
  std::vector<HazardEdge> edges;  // one edge for each hazard, in their order
};

struct EnvelopeOptions {
  std::uint64_t seeds = 20;
  unsigned jobs = 1;
  std::vector<const Hazard*> hazards;  // empty: all
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

// Empty if the lock cannot be played so; without the rest of the hazards if it was stopped.
std::optional<Envelope> envelope_of(std::string_view lock, const EnvelopeOptions& options);

std::string envelope_text(const std::vector<Envelope>& all);
// "set-nx-px, pause: from 30 s (1.00 leases) …; claimed: below 30 s (1.00 leases); tight"
std::string edge_sentence(const Envelope& envelope, const HazardEdge& edge);
std::string envelope_svg(const std::vector<Envelope>& all);
std::string envelope_json(const std::vector<Envelope>& all, std::uint64_t seeds);

}  // namespace picklock
