#include "hunt/aim.hpp"

#include "checker/properties/properties.hpp"

namespace picklock {

void demand(Scenario& drawn, const Aim& aim) {
  for (const Property p : aim.properties) drawn.expect[std::string(info(p).name)] = {Verdict::holds, Seeds::every};
}

Scenario twin_of(const Scenario& drawn, const Scenario& base, const Scenario& twin) {
  Scenario s = drawn;
  if (!(twin.lock == base.lock)) s.lock = twin.lock;
  if (!(twin.services == base.services)) s.services = twin.services;
  if (!(twin.storage == base.storage)) s.storage = twin.storage;
  if (!(twin.workload == base.workload)) s.workload = twin.workload;
  return s;
}

std::string no_twin(const Scenario& base, const Scenario& twin) {
  if (!(twin.clients == base.clients)) return "it has other clients, and a hunt plays the same clients against both";
  const Scenario same = twin_of(base, base, twin);
  if (same.lock == base.lock && same.services == base.services && same.storage == base.storage &&
      same.workload == base.workload) {
    return "it differs neither in its lock nor in its servers, its storage or its workload";
  }
  return {};
}

}  // namespace picklock
