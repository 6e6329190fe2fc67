#include "reports/unseen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/lock.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

// "x", "y" and 3 others
std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string all;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    all += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
  }
  return names.size() <= kMost ? all : fmt::format("{} and {} others", all, names.size() - kMost);
}

// The pattern of a key that has a lock's name in it: "lock:x" of the lock "x" is "lock:{name}"; empty: no key has it.
std::string pattern_in(const UnseenOwners& unseen) {
  for (const std::string& key : unseen.keys) {
    for (const std::string& lock : unseen.locks) {
      const std::size_t at = key.rfind(lock);
      if (at == key.npos || key == lock) continue;
      return key.substr(0, at).append(kLockName) + key.substr(at + lock.size());
    }
  }
  return "";
}

}  // namespace

std::string unseen_warning(const Scenario& scenario, const UnseenOwners& unseen, std::uint64_t runs) {
  if (unseen.runs == 0) return "";
  const LockKind& kind = *find_lock_kind(scenario.lock.name);
  const ServiceKind& service = *find_service(kind.service);
  std::vector<std::string> looked_at;
  for (const std::string& lock : unseen.locks) looked_at.push_back(service_key(kind, lock));
  const std::string where =
      runs == 1 ? "" : fmt::format(" in {} of {} runs (lowest seed {})", unseen.runs, runs, unseen.seed);
  const std::string written = unseen.keys.empty()
                                  ? fmt::format("clients wrote no {}", service.place)
                                  : fmt::format("clients wrote the {}s {}", service.place, quoted(unseen.keys));
  std::string text = fmt::format(
      "warning: {} never named an owner of {}{}, though clients believed that they held the lock. What rests on grants "
      "was not "
      "judged.\n  {} looks at the {} {}; {}\n",
      service.title, quoted(unseen.locks), where, kind.ownership, service.place, quoted(looked_at), written);
  if (const std::string pattern = pattern_in(unseen); !pattern.empty() && pattern != kind.key)
    text += fmt::format("  If its ownership lies there, the lock says so by key = \"{}\" (docs/lua.md).\n", pattern);
  return text;
}

}  // namespace picklock
