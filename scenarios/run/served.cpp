#include "scenarios/run/served.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/properties/deadlock.hpp"
#include "scenarios/recording/journal.hpp"

namespace picklock {
namespace {

std::string times(std::uint64_t n) { return n == 1 ? "once" : fmt::format("{} times", n); }

bool never_or_less_than_half(const LessService& less) { return !less.in_turn && less.after * 2 < less.before; }

// For each hold: true if the service names it as the record with this index is written.
std::vector<bool> named_at(const History& h, std::uint32_t index) {
  std::vector<bool> named(h.holds.size());
  for (const GrantEvent& e : h.grants) {
    if (e.index > index) break;
    if (e.change == GrantChange::begin) named[e.hold] = true;
    if (e.change == GrantChange::end) named[e.hold] = false;
  }
  return named;
}

// Whether the hold, which its client asks for, waits for another client's that the service names.
bool waits_in_turn(const History& h, HoldId asked, const std::vector<bool>& named) {
  for (HoldId other = 1; other < h.holds.size(); ++other) {
    const bool conflicts = stands_for(h.names, h.holds[asked].lock, h.holds[other].lock);
    if (named[other] && conflicts && h.holds[other].client != h.holds[asked].client) return true;
  }
  return false;
}

}  // namespace

std::vector<ClientService> service_in(const Scenario& scenario, const RunResult& result) {
  const History& h = *result.history;
  std::uint32_t heal = UINT32_MAX, probe = UINT32_MAX;
  for (const PhaseEvent& p : h.phases) {
    if (p.phase == Phase::heal) heal = p.index;
    if (p.phase == Phase::probe) probe = p.index;
  }
  std::vector<ClientService> all;
  for (const ClientSpec& c : scenario.clients) {
    if (c.role == ClientRole::holder) all.push_back({c.name});
  }
  std::vector<HoldId> asked(all.size(), kNoHold);  // index: client; the hold of its pending acquire as the load ends
  for (const OperationEvent& e : h.operations) {
    const auto f = static_cast<Function>(e.f);
    const bool acquire = f == Function::acquire || f == Function::acquire_read;
    if (!acquire || e.index >= probe) continue;
    const std::string_view client = h.names.view(h.holds[e.hold].client);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].client != client) continue;
      if (e.index < heal) asked[i] = e.type == OperationType::invoke ? e.hold : kNoHold;
      if (e.type == OperationType::ok) ++(e.index < heal ? all[i].sections : all[i].healed);
    }
  }
  const std::vector<bool> named = named_at(h, heal);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].waits_in_turn = asked[i] != kNoHold && waits_in_turn(h, asked[i], named);
  }
  return all;
}

std::vector<LessService> less_service(const std::vector<ClientService>& before,
                                      const std::vector<ClientService>& after) {
  std::vector<LessService> less;
  for (const ClientService& b : before) {
    const auto a =
        std::find_if(after.begin(), after.end(), [&](const ClientService& c) { return c.client == b.client; });
    if (a != after.end() && a->sections < b.sections) {
      less.push_back({b.client, b.sections, a->sections, a->healed > b.healed, a->waits_in_turn});
    }
  }
  return less;
}

bool ends_service(const std::vector<LessService>& less) {
  return std::any_of(less.begin(), less.end(), never_or_less_than_half);
}

std::string in_words(const LessService& less) {
  if (less.in_turn) return fmt::format("{} waits in turn as the load ends", less.client);
  if (less.after == 0)
    return fmt::format("{} is {}", less.client, less.when_healed ? "served only after healing" : "never served");
  return fmt::format("{} is served {} instead of {}", less.client, times(less.after), times(less.before));
}

std::string in_words(const std::vector<LessService>& less) {
  std::string text;
  for (std::size_t i = 0; i < less.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == less.size() ? " and " : ", ", in_words(less[i]));
  }
  return text;
}

}  // namespace picklock
