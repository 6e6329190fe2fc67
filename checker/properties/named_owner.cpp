#include "checker/properties/named_owner.hpp"

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

std::string_view end_of_acquire(const History& history, HoldId hold) {
  for (const OperationEvent& e : history.operations) {
    const std::string_view f = e.f < history.functions.size() ? history.names.view(history.functions[e.f]) : "";
    if (e.hold != hold || !f.starts_with("acquire")) continue;
    if (e.type == OperationType::fail) return "its acquire was refused";
    if (e.type == OperationType::info) return "its acquire got no answer";
  }
  return "its acquire returned all the same";
}

}  // namespace

std::string never_named(const History& history, HoldId hold) {
  const NameId lock = history.holds[hold].lock;
  std::uint32_t over = UINT32_MAX;  // index of the end of the last belief in it
  for (const BeliefEvent& e : history.beliefs) {
    if (e.hold == hold) over = e.end == BeliefEnd::none ? UINT32_MAX : e.index;
  }
  bool others = false, later = false;
  for (const GrantEvent& e : history.grants) {
    if (e.change != GrantChange::begin || e.hold == kNoHold || history.holds[e.hold].lock != lock) continue;
    if (e.hold == hold && e.index < over) return "";
    (e.hold == hold ? later : others) = true;
  }
  if (!others) return "";
  return client_name(history, hold) + " believed that it held " + lock_held(history, hold) +
         " although the service never named it" + (later ? " in that time" : "") + " (" +
         std::string(end_of_acquire(history, hold)) + ")";
}

bool is_named_owner(const History& history, HoldId hold, std::uint32_t index) {
  bool named = false;
  for (const GrantEvent& e : history.grants) {
    if (e.index > index) break;
    if (e.hold != hold) continue;
    if (e.change == GrantChange::begin) named = true;
    if (ends_ownership(e.change)) named = false;
  }
  return named;
}

}  // namespace picklock
