#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Fencing::fencing() const {
  Finding v;
  bool any = false;
  const auto ids = all();
  for (const HoldId b : ids) {
    any = any || token(b) != kNoToken;
    if (!h.omniscient) continue;
    v.measure += std::any_of(ids.begin(), ids.end(), [&](HoldId a) { return out_of_order(a, b); });
  }
  const auto acquired = h.omniscient ? std::vector<Acquisition>{} : acquisitions();
  for (const auto& b : acquired) {
    any = any || b.token != kNoToken;
    v.measure += std::any_of(acquired.begin(), acquired.end(), [&](const auto& a) { return out_of_order(a, b); });
  }
  for (const auto& e : h.operations) {
    if (!issues(e)) continue;
    std::int64_t before = kNoToken;
    for (const auto& earlier : h.operations) {
      if (issues(earlier) && earlier.hold == e.hold && earlier.index < e.index) {
        before = earlier.token;
      }
    }
    if (e.token < before) ++v.measure;
  }
  if (!any) return not_applicable(Reason::needs_tokens);
  return violated_if(v.measure > 0, v);
}

bool Fencing::out_of_order(HoldId a, HoldId b) const {
  return a != b && granted_before(a, b) && !(reads(a) && reads(b)) && token(a) != kNoToken && token(b) != kNoToken &&
         token(a) >= token(b) && !took_over(b);
}

std::vector<Fencing::Acquisition> Fencing::acquisitions() const {
  std::vector<Acquisition> found;
  std::set<HoldId> seen;
  for (const auto& e : h.operations) {
    if (e.process < 0 || e.type != OperationType::ok || function(e) != "acquire") continue;
    const auto* asked_by = invocation(e);
    if (!asked_by || (e.hold != kNoHold && !seen.insert(e.hold).second)) continue;
    if (e.hold == kNoHold) {
      const NameId name = e.object != kNoName ? e.object : lock(*asked_by);
      found.push_back({name, false, e.token, asked_by->index, e.index});
    } else {
      found.push_back({h.holds[e.hold].lock, reads(e.hold), token(e.hold), asked_by->index, e.index});
    }
  }
  return found;
}

bool Fencing::out_of_order(const Acquisition& a, const Acquisition& b) {
  return a.lock == b.lock && a.returned < b.invoked && !(a.reads && b.reads) && a.token != kNoToken &&
         b.token != kNoToken && a.token >= b.token;
}

bool Fencing::issues(const OperationEvent& e) const {
  return e.process >= 0 && e.type == OperationType::ok && e.token != kNoToken && e.hold != kNoHold &&
         (function(e) == "acquire" || function(e) == "extend");
}

std::int64_t Fencing::token(HoldId id) const {
  if (h.holds[id].token != kNoToken) return h.holds[id].token;
  std::int64_t newest = kNoToken;
  for (const auto& e : h.operations) {
    if (issues(e) && e.hold == id) newest = e.token;
  }
  return newest;
}

bool Fencing::granted_before(HoldId a, HoldId b) const {
  const auto* first = grant_of(a);
  const auto* second = grant_of(b);
  return h.holds[a].lock == h.holds[b].lock && first && second && first->index < second->index;
}

bool Fencing::took_over(HoldId b) const {
  const auto passed = std::find_if(h.grants.begin(), h.grants.end(), [&](const GrantEvent& e) {
    return e.change == GrantChange::released && e.by == b && e.hold != b;
  });
  return passed != h.grants.end() && token(passed->hold) == token(b);
}

}  // namespace picklock::reference
