#include "checker/models/random_history_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

class Maker {
 public:
  Maker(LabRandom& random, const PlainSpec& spec, Owners owners)
      : random_(random), spec_(spec), owners_(owners), state_(spec.initial) {
    for (const auto* kind : {&spec.takes, &spec.gives, &spec.keeps}) {
      for (const std::string& function : *kind) function_id(function);
    }
    lenient_ = spec_.lapses || spec_.initial.empty();  // few lies show
    clients_.resize(spec_.lapses ? 2 : 2 + random.below(3) + (lenient_ ? 2 : 0));
    for (Client& client : clients_) client.process = fresh_++;
    constexpr std::uint32_t kLies[] = {0, 20, 40, 60};
    lies_ = kLies[random.below(4)];
  }

  History make() {
    const std::uint32_t events = 4 + random_.below(lenient_ ? 30 : 20);
    for (int steps = 0; steps < 400 && history_.operations.size() < events; ++steps) {
      Client& client = clients_[random_.below(static_cast<std::uint32_t>(clients_.size()))];
      if (!client.busy) {
        invoke(client);
      } else if (client.applied || apply(client)) {
        if (random_.percent(60)) complete(client);
      }
    }
    return std::move(history_);
  }

 private:
  struct Client {
    std::int32_t process = 0;
    bool busy = false;
    bool applied = false;  // did the lock get to it, and did it agree?
    bool agreed = false;
    OperationEvent invoke;
    PlainOperation operation;
  };

  std::uint8_t function_id(const std::string& name) {
    const NameId id = history_.names.intern(name);
    const auto at = std::find(history_.functions.begin(), history_.functions.end(), id);
    if (at == history_.functions.end()) {
      history_.functions.push_back(id);
      return static_cast<std::uint8_t>(history_.functions.size() - 1);
    }
    return static_cast<std::uint8_t>(at - history_.functions.begin());
  }

  const std::string& one_of(const std::vector<std::string>& names) {
    return names[random_.below(static_cast<std::uint32_t>(names.size()))];
  }

  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(history_.operations.size()); }

  [[nodiscard]] bool taking(const std::string& function) const {
    return std::find(spec_.takes.begin(), spec_.takes.end(), function) != spec_.takes.end();
  }

  void invoke(Client& client) {
    OperationEvent event;
    event.index = index();
    event.time = kNoTime;
    event.process = client.process;
    std::int64_t owner = client.process;
    if (owners_ == Owners::named) {
      event.hold = 1 + random_.below(3);
    } else if (owners_ == Owners::holds) {
      event.hold = latest_[client.process];
      if (random_.percent(15) && holds_ > 0) event.hold = 1 + random_.below(holds_);
    }
    if (event.hold != kNoHold) owner = 1'000'000 + std::int64_t{event.hold};
    std::string function;
    const std::int64_t believed = believed_[owner];
    const bool give = random_.percent(spec_.initial.empty() ? (believed > 0 ? 33 : 20) : believed > 0 ? 65 : 12);
    if (!spec_.keeps.empty() && random_.percent(believed > 0 ? (spec_.lapses ? 65 : 40) : 8)) {
      function = one_of(spec_.keeps);
    } else {
      function = one_of(give ? spec_.gives : spec_.takes);
    }
    if (owners_ == Owners::holds && taking(function)) {
      event.hold = ++holds_;
      owner = 1'000'000 + std::int64_t{event.hold};
    } else if (owners_ == Owners::holds && event.hold == kNoHold) {
      return;
    }
    event.f = function_id(function);
    if (spec_.token && !spec_.keeps.empty() && !taking(function) && function != "release") {
      event.token = std::max<std::int64_t>(1, tokens_[owner] - (random_.percent(lies_ / 3) ? 1 : 0));
    }
    client.invoke = event;
    client.operation = {owner, function, event.token, false, event.index, 0};
    client.busy = true;
    client.applied = client.agreed = false;
    history_.operations.push_back(event);
  }

  bool apply(Client& client) {
    PlainOperation& o = client.operation;
    const bool take = taking(o.function);
    if (spec_.token && take) o.token = spec_.token(state_, o);
    auto next = spec_.step(state_, o);
    if (spec_.lapses && take && state_ != spec_.initial && random_.percent(80)) next.reset();
    if (take && !next && random_.percent(70)) return false;  // waits
    client.applied = true;
    client.agreed = next.has_value();
    if (next) state_ = *next;
    return true;
  }

  void complete(Client& client) {
    OperationEvent event = client.invoke;
    event.index = index();
    const PlainOperation& o = client.operation;
    const bool take = taking(o.function);
    client.busy = false;
    if (random_.percent(lies_ > 60 ? 6 : 12)) {
      event.type = OperationType::info;
      if (take && random_.percent(50)) latest_[client.process] = event.hold;
      if (owners_ == Owners::processes) client.process = fresh_++;
      if (!random_.percent(20)) history_.operations.push_back(event);
      return;
    }
    const bool ok = client.agreed ? !random_.percent(lies_ / 3) : random_.percent(lies_);
    event.type = ok ? OperationType::ok : OperationType::fail;
    if (ok && take) {
      latest_[client.process] = event.hold;
      ++believed_[o.owner];
      if (spec_.token) {
        event.token = o.token;
        if (random_.percent(spec_.keeps.empty() ? lies_ / 4 : lies_)) {
          event.token -= random_.below(3);
        }
        if (random_.percent(4)) event.token = kNoToken;
        if (event.token != kNoToken) tokens_[o.owner] = event.token;
      }
    } else if (ok && believed_[o.owner] > 0 && client.operation.function.starts_with("release")) {
      --believed_[o.owner];
    }
    history_.operations.push_back(event);
  }

  LabRandom& random_;
  const PlainSpec& spec_;
  Owners owners_;
  PlainState state_;
  History history_;
  std::vector<Client> clients_;
  std::map<std::int64_t, std::int64_t> believed_, tokens_;  // key: owner
  std::map<std::int32_t, HoldId> latest_;
  std::int32_t fresh_ = 0;
  HoldId holds_ = 0;
  std::uint32_t lies_ = 0;
  bool lenient_ = false;
};

// One event a line, and nothing renumbered, as the writers would.
std::string words(const History& history) {
  constexpr const char* kTypes[] = {"asks", "ok", "fail", "info"};
  std::string text;
  for (const OperationEvent& e : history.operations) {
    text += fmt::format("  {:>2} process {} {} {}", e.index, e.process, history.names.view(history.functions[e.f]),
                        kTypes[static_cast<std::size_t>(e.type)]);
    if (e.hold != kNoHold) text += fmt::format(" hold {}", e.hold);
    if (e.token != kNoToken) text += fmt::format(" token {}", e.token);
    text += "\n";
  }
  return text;
}

bool is_vacuous(const CheckResult& result) {
  return result.verdict == Verdict::undecided &&
         (result.explanation.find("no operation") != std::string::npos ||
          result.explanation.find("Nothing was observed") != std::string::npos ||
          result.explanation.find("carries a token") != std::string::npos);
}

}  // namespace

History random_history(LabRandom& random, const PlainSpec& spec, Owners owners) {
  return Maker(random, spec, owners).make();
}

int AgreementCount::smaller_share() const { return 100 * std::min(valid, invalid) / std::max(1, valid + invalid); }

AgreementCount compare(const std::string& model, Owners owners, int histories, std::uint64_t seed,
                       const std::string& checked_as, const std::function<void(History&)>& twin, int stop_after) {
  const PlainSpec spec = plain_spec(model);
  HistoryCheckOptions options;
  options.model = checked_as.empty() ? model : checked_as;
  if (const std::size_t at = options.model.find('@'); at != std::string::npos) {
    options.initial = options.model.substr(at + 1);
    options.model.resize(at);
  }
  AgreementCount tally;
  for (int i = 0; i < histories && tally.wrong < stop_after; ++i) {
    LabRandom random(seed + static_cast<std::uint64_t>(i));
    History history = random_history(random, spec, owners);
    const bool expected = is_linearizable(history, spec);
    const std::string text = words(history);
    if (twin) twin(history);
    const CheckResult result = check_history(history, options);
    if (is_vacuous(result)) {
      ++tally.vacuous;
      continue;
    }
    ++(expected ? tally.valid : tally.invalid);
    HistoryCheckOptions rested = options;  // the model is dropped and made again whenever no call is open
    rested.awake_locks = 0;
    const CheckResult again = check_history(history, rested);
    // A search that is over when its lock has rested may tell another of several holders.
    const bool same_words = owners == Owners::outliving || again.explanation == result.explanation;
    if (again.verdict != result.verdict || !same_words) {
      if (++tally.wrong == 1) {
        tally.first = model + ", seed " + std::to_string(seed + static_cast<std::uint64_t>(i)) + ": after a rest\n" +
                      text + result.explanation + "\nrested: " + again.explanation;
      }
      continue;
    }
    if (result.verdict == Verdict::undecided) {
      ++tally.undecided;
    } else if ((result.verdict == Verdict::holds) != expected) {
      ++tally.wrong;
      if (tally.first.empty()) {
        tally.first = model + ", seed " + std::to_string(seed + static_cast<std::uint64_t>(i)) + ": in truth " +
                      (expected ? "valid" : "invalid") + "\n" + text + result.explanation;
      }
    }
  }
  return tally;
}

}  // namespace picklock
