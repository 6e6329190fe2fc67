#include "checker/models/exhaustive_lab.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

namespace picklock {
namespace {

constexpr std::uint32_t kNever = 0xffffffff;
constexpr std::int64_t kNobody = -1;

using Next = std::optional<PlainState>;

// [owner]
Next mutex(const PlainState& s, const PlainOperation& o) {
  if (o.function == "acquire") return s[0] == kNobody ? Next(PlainState{o.owner}) : std::nullopt;
  if (s[0] != o.owner) return std::nullopt;
  return o.function == "refresh" ? Next(s) : Next(PlainState{kNobody});
}

Next try_mutex(const PlainState& s, const PlainOperation& o) {
  if (o.failed) return s[0] != kNobody ? Next(s) : std::nullopt;
  return mutex(s, o);
}

Next lease(const PlainState& s, const PlainOperation& o) {
  if (o.function == "acquire") return Next(PlainState{o.owner});  // the last hold has lapsed
  return mutex(s, o);
}

Next try_lease(const PlainState& s, const PlainOperation& o) {
  if (o.failed) return Next(PlainState{s[0] == o.owner ? kNobody : s[0]});  // the holder's lease has lapsed
  return lease(s, o);
}

// [owner, count, its token, largest token]
Next reentrant(const PlainState& s, const PlainOperation& o, std::int64_t limit, bool fenced) {
  PlainState next = s;
  const std::int64_t token = fenced ? o.token : kNoToken;
  if (o.function == "release") {
    if (s[0] != o.owner) return std::nullopt;
    if (--next[1] == 0) next = {kNobody, 0, kNoToken, s[3]};
    return next;
  }
  if (s[0] == kNobody) {
    if (token != kNoToken && token <= s[3]) return std::nullopt;
    return PlainState{o.owner, 1, token, token == kNoToken ? s[3] : token};
  }
  if (s[0] != o.owner || s[1] == limit) return std::nullopt;
  if (token != kNoToken && s[2] != kNoToken && token != s[2]) return std::nullopt;
  if (token != kNoToken && s[2] == kNoToken) {
    if (token <= s[3]) return std::nullopt;
    next[2] = next[3] = token;
  }
  ++next[1];
  return next;
}

// The owners of the permits that are taken, sorted; without owners if those do not count.
Next semaphore(const PlainState& s, const PlainOperation& o, std::size_t permits, bool owners) {
  PlainState next = s;
  const std::int64_t owner = owners ? o.owner : kNobody;
  if (o.function == "acquire") {
    if (s.size() == permits) return std::nullopt;
    next.insert(std::upper_bound(next.begin(), next.end(), owner), owner);
    return next;
  }
  const auto at = std::find(next.begin(), next.end(), owner);
  if (at == next.end()) return std::nullopt;
  next.erase(at);
  return next;
}

// Readers as they are, a writer as -2 - owner.
Next read_write(const PlainState& s, const PlainOperation& o) {
  const std::int64_t writer = -2 - o.owner;
  PlainState next = s;
  if (o.function == "acquire-write" || o.function == "acquire") {
    return s.empty() ? Next(PlainState{writer}) : std::nullopt;
  }
  if (o.function == "acquire-read") {
    if (!s.empty() && s[0] < 0) return std::nullopt;
    next.insert(std::upper_bound(next.begin(), next.end(), o.owner), o.owner);
    return next;
  }
  auto at = next.end();
  if (o.function != "release-read") at = std::find(next.begin(), next.end(), writer);
  if (o.function != "release-write" && at == next.end()) {
    at = std::find(next.begin(), next.end(), o.owner);
  }
  if (at == next.end()) return std::nullopt;
  next.erase(at);
  return next;
}

// [largest granted, largest accepted]
Next tokens(const PlainState& s, const PlainOperation& o) {
  if (o.function == "release" || o.token == kNoToken) return s;
  if (o.function == "acquire") {
    return o.token > s[0] ? Next(PlainState{o.token, s[1]}) : std::nullopt;
  }
  return o.token >= s[1] && o.token > 0 ? Next(PlainState{s[0], o.token}) : std::nullopt;
}

class Search {
 public:
  Search(std::vector<PlainOperation> operations, const PlainSpec& spec)
      : operations_(std::move(operations)), spec_(spec) {
    assert(operations_.size() <= 60);
  }

  bool from(std::uint64_t done, const PlainState& state) {
    std::uint32_t deadline = kNever;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) == 0) deadline = std::min(deadline, operations_[i].returned);
    }
    if (deadline == kNever) return true;  // only crashed ones are left
    if (!visited_.insert({done, state}).second) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) != 0 || operations_[i].invoked > deadline) continue;
      const Next next = spec_.step(state, operations_[i]);
      if (next && from(done | std::uint64_t{1} << i, *next)) return true;
    }
    return false;
  }

 private:
  std::vector<PlainOperation> operations_;
  const PlainSpec& spec_;
  std::set<std::pair<std::uint64_t, PlainState>> visited_;
};

}  // namespace

PlainSpec plain_spec(const std::string& model) {
  const std::string name = model.substr(0, model.find(':'));
  const auto n = name == model ? 1 : std::stoll(model.substr(name.size() + 1));
  PlainSpec spec{{"acquire"}, {"release"}, {}, {kNobody}, mutex, {}, {}, false};
  const auto fence = [](const PlainState& s, const PlainOperation& o) {
    return s[0] == o.owner ? s[2] : s[3] + 1 + o.invoked % 2;
  };
  if (name == "try-mutex") {
    spec.step = try_mutex;
    spec.refusals = {"acquire"};
  } else if (name == "lease-mutex" || name == "try-lease-mutex") {
    const bool tries = name == "try-lease-mutex";
    spec.gives = {"release", "expire"};
    spec.keeps = {"refresh"};
    spec.step = tries ? try_lease : lease;
    if (tries) spec.refusals = {"release", "refresh"};
    spec.lapses = true;
  } else if (name == "logged-lease-mutex") {
    spec.gives = {"release", "expire"};
    spec.keeps = {"refresh"};
  } else if (name == "reentrant-mutex" || name == "fenced-mutex" || name == "reentrant-fenced-mutex") {
    const bool fenced = name != "reentrant-mutex";
    spec.initial = {kNobody, 0, kNoToken, 0};
    spec.step = [n, fenced](const PlainState& s, const PlainOperation& o) { return reentrant(s, o, n, fenced); };
    if (fenced) spec.token = fence;
  } else if (name == "semaphore" || name == "semaphore-ownerless" || name == "mutex-ownerless") {
    const bool owners = name == "semaphore";
    const std::size_t at = model.find('@');
    const auto taken = at == std::string::npos ? 0 : n - std::stoll(model.substr(at + 1));
    constexpr std::int64_t kStranger = -2;  // an owner that never gives back
    spec.initial.assign(static_cast<std::size_t>(taken), owners ? kStranger : kNobody);
    spec.step = [n, owners](const PlainState& s, const PlainOperation& o) {
      return semaphore(s, o, static_cast<std::size_t>(n), owners);
    };
  } else if (name == "rw-mutex") {
    spec.takes = {"acquire-write", "acquire-read", "acquire-read"};
    spec.gives = {"release", "release-write", "release-read"};
    spec.initial = {};
    spec.step = read_write;
  } else if (name == "fencing-tokens") {
    spec.keeps = {"read", "write"};
    spec.initial = {0, 0};
    spec.step = tokens;
    spec.token = [](const PlainState& s, const PlainOperation& o) { return o.function == "acquire" ? s[0] + 1 : s[0]; };
  } else {
    assert(name == "mutex");
  }
  return spec;
}

bool is_linearizable(const History& history, const PlainSpec& spec) {
  std::vector<PlainOperation> operations;
  std::map<std::int32_t, std::size_t> pending;
  for (const OperationEvent& event : history.operations) {
    if (event.type == OperationType::invoke) {
      pending[event.process] = operations.size();
      const std::int64_t owner = event.hold != kNoHold ? 1'000'000 + std::int64_t{event.hold} : event.process;
      operations.push_back({owner, std::string(history.names.view(history.functions[event.f])), event.token, false,
                            event.index, kNever});
      continue;
    }
    PlainOperation& operation = operations[pending.at(event.process)];
    operation.failed = event.type == OperationType::fail;
    if (event.type == OperationType::info) continue;
    operation.returned = event.index;
    if (event.token != kNoToken) operation.token = event.token;
  }
  std::erase_if(operations, [&](const PlainOperation& o) {
    return o.failed && std::find(spec.refusals.begin(), spec.refusals.end(), o.function) == spec.refusals.end();
  });
  return Search(std::move(operations), spec).from(0, spec.initial);
}

}  // namespace picklock
