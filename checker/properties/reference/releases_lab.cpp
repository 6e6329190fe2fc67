#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Releases::wrong(GrantChange kind) const {
  Finding v;
  for (const auto& e : h.grants) v.measure += e.change == kind && e.by != e.hold;
  return violated_if(v.measure > 0, v);
}

Finding Releases::unreleased() const {
  Finding v;
  for (const HoldId id : all()) v.measure += kept(id);
  return violated_if(v.measure > 0, v);
}

bool Releases::kept(HoldId id) const {
  std::size_t acquired = 0, released = 0;
  const OperationEvent* last = nullptr;
  for (const char* f : {"acquire", "release"}) {
    const bool back = std::string_view(f) == "release";
    const auto asked = invoked(f);
    for (const auto& e : asked) {
      if (e.hold != id) continue;
      const auto* answer = next(e);
      if (!answer || answer->type != OperationType::ok || answer->hold != id) return false;
      ++(back ? released : acquired);
      if (back && (!last || last->index < answer->index)) last = answer;
    }
  }
  if (!last || released != acquired || last->index > probe_index()) return false;
  bool named = false;
  Time since = 0;
  for (const auto& e : h.grants) {
    if (e.hold != id) continue;
    const bool later = e.index > last->index;
    if (e.change == GrantChange::begin && !(later && e.until == kNoTime)) {
      named = true;
      since = e.time;
    }
    if (ends(e.change) && !(later && e.change == GrantChange::end && e.time > since)) named = false;
  }
  return named;
}

}  // namespace picklock::reference
