// Runs whose owners were never seen, as JSON: in stores and in reports, whose documents keep the order of their keys.
#pragma once

#include "scenarios/run/unseen_owners.hpp"

namespace picklock {

template <class Json>
Json unseen_json(const UnseenOwners& unseen) {
  return {{"runs", unseen.runs}, {"lowest_seed", unseen.seed}, {"locks", unseen.locks}, {"keys_written", unseen.keys}};
}

// Absent: there were none.
template <class Json>
UnseenOwners read_unseen(const Json& document) {
  UnseenOwners unseen;
  const auto found = document.find("owner_never_named");
  if (found == document.end()) return unseen;
  unseen.runs = found->at("runs");
  unseen.seed = found->at("lowest_seed");
  found->at("locks").get_to(unseen.locks);
  found->at("keys_written").get_to(unseen.keys);
  return unseen;
}

}  // namespace picklock
