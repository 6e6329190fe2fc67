// A sample of scripts/check-models, with fixed seeds; and what the comparison is worth: sweeps that
// were spoilt on purpose do not pass it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "checker/models/exhaustive_lab.hpp"
#include "checker/models/lock_models_lab.hpp"
#include "checker/models/sweep.hpp"
#include "checker/random_lab.hpp"

namespace picklock {
namespace {

class Agreement : public testing::TestWithParam<LockUnderTest> {};

TEST_P(Agreement, OfTheSweepWithExhaustiveSearch) {
  const LockUnderTest lock = GetParam();
  const AgreementCount t = compare(lock.model, lock.owners, 1'500, 1'000'000);
  EXPECT_EQ(t.wrong, 0) << t.first;
  EXPECT_GE(t.smaller_share(), 20) << t.valid << " valid, " << t.invalid << " invalid";
  if (lock.doubts) {
    EXPECT_LT(t.undecided, (t.valid + t.invalid) / 3);
  } else {
    EXPECT_EQ(t.undecided, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Agreement, testing::ValuesIn(kLocksUnderTest), [](const auto& p) {
  std::string name = std::string(p.param.model) + "_" + p.param.owners_name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// Holds of one name, of which one is given back while others last: they are told in the same order after a rest.  And
// crashed and open releases that the next hold has forced, when a search begins.
TEST(Rest, ChangesNoWords) {
  struct History {
    const char* model;
    Owners owners;
    std::uint64_t seed;
  };
  for (const History& h :
       {History{"rw-mutex", Owners::named, 93'327}, History{"mutex", Owners::outliving, 5'739},
        History{"mutex", Owners::named, 73'565}, History{"mutex", Owners::holds, 974},
        History{"semaphore:2", Owners::named, 1'795'715'482}, History{"fenced-mutex", Owners::outliving, 101'325}}) {
    const AgreementCount t = compare(h.model, h.owners, 1, h.seed);
    EXPECT_EQ(t.wrong, 0) << t.first;
  }
}

// Whatever the state of a lock is, its model may be dropped, unless it is decided already.
TEST(Rest, IsForEveryState) {
  for (const LockUnderTest& lock : kLocksUnderTest) {
    const std::string text = lock.model;
    const std::string model = text.substr(0, text.find('@'));
    const PlainSpec spec = plain_spec(model);
    int judged = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      LabRandom random(seed);
      const History history = random_history(random, spec, lock.owners);
      Sweep sweep(find_model(model), history);
      sweep.keep_awake(0);
      for (const OperationEvent& event : history.operations) sweep.feed(event);
      const std::size_t awake = sweep.awake();
      if (sweep.finish().verdict == Verdict::violated) continue;
      ++judged;
      EXPECT_EQ(awake, 0u) << model << ", " << lock.owners_name << ", seed " << seed;
    }
    EXPECT_GT(judged, 50) << model;
  }
}

// Leaves out a hold's name where the history means the same without it: in an acquire's invoke, if the answer is the
// first to say it; and in a release, if its process acquired the hold last, and no other process has named it since.
void leave_names_out(History& h) {
  std::map<std::int32_t, HoldId> last;            // the last acquired hold not given back yet; key: process
  std::map<std::int32_t, HoldId> meant;           // the hold of the pending operation; key: process
  std::map<std::int32_t, OperationEvent*> asked;  // the pending operation's invoke; key: process
  std::set<std::int32_t> shared;                  // processes whose name was said before, or by another one meanwhile
  std::set<HoldId> said;
  for (OperationEvent& e : h.operations) {
    const bool acquires = h.names.view(h.functions[e.f]) == "acquire";
    if (e.type == OperationType::invoke) {
      meant[e.process] = e.hold;
      asked[e.process] = &e;
      shared.erase(e.process);
      if (!said.insert(e.hold).second) shared.insert(e.process);
    }
    const HoldId hold = meant[e.process];
    for (const auto& [process, name] : meant) {
      if (process == e.process || name != hold) continue;
      shared.insert(process);
      shared.insert(e.process);
    }
    std::erase_if(last, [&](const auto& l) { return l.first != e.process && l.second == hold; });
    const auto own = last.find(e.process);
    if (e.type == OperationType::invoke) {
      if (!acquires && own != last.end() && own->second == hold) e.hold = kNoHold;
      continue;
    }
    if (acquires && e.type == OperationType::ok) {
      if (!shared.contains(e.process)) asked[e.process]->hold = kNoHold;
      last[e.process] = hold;
    } else if (!acquires) {
      e.hold = asked[e.process]->hold;
      if (e.type == OperationType::ok && own != last.end() && own->second == hold) last.erase(own);
    }
    meant.erase(e.process);
  }
}

TEST(NamesOfHolds, MayBeToldByAnswersAndLeftOutOfReleases) {
  for (const char* const model : {"mutex", "semaphore:2", "fenced-mutex"}) {
    for (const Owners owners : {Owners::named, Owners::holds}) {
      const AgreementCount t = compare(model, owners, 3'000, 2'000'000, "", leave_names_out);
      EXPECT_EQ(t.wrong, 0) << t.first;
      EXPECT_GE(t.smaller_share(), 10) << t.valid << " valid, " << t.invalid << " invalid";
    }
  }
}

// Broken twins.

std::string function_of(const History& h, const OperationEvent& e) {
  return std::string(h.names.view(h.functions[e.f]));
}

// Lets a kind of operation take effect when it returns rather than when it was invoked.
void invoke_late(History& h, const std::string& function) {
  std::map<std::int32_t, OperationEvent> held_back;
  std::vector<OperationEvent> out;
  for (const OperationEvent& e : h.operations) {
    if (e.type == OperationType::invoke && function_of(h, e) == function) {
      held_back[e.process] = e;
      continue;
    }
    if (const auto at = held_back.find(e.process); at != held_back.end()) {
      out.push_back(at->second);
      held_back.erase(at);
    }
    out.push_back(e);
  }
  h.operations = out;
  std::uint32_t index = 0;
  for (OperationEvent& e : h.operations) e.index = index++;
}

// Lets operations that ended in one way end in another.
void confuse(History& h, const std::string& function, OperationType from, OperationType to) {
  for (OperationEvent& e : h.operations) {
    if (e.type == from && function_of(h, e) == function) e.type = to;
  }
}

// Tokens that may repeat.
void allow_equal_tokens(History& h) {
  for (OperationEvent& e : h.operations) {
    if (e.token != kNoToken && e.type != OperationType::invoke) {
      e.token = e.token * 1'000 + std::int64_t{e.index};
    }
  }
}

struct Twin {
  const char* what;
  const char* model;
  Owners owners;
  const char* checked_as;
  void (*spoil)(History&);
};

const Twin kTwins[] = {
    {"releases count from their return", "mutex", Owners::processes, "", [](History& h) { invoke_late(h, "release"); }},
    {"failed releases release", "mutex", Owners::processes, "",
     [](History& h) { confuse(h, "release", OperationType::fail, OperationType::info); }},
    {"crashed releases release nothing", "mutex", Owners::processes, "",
     [](History& h) { confuse(h, "release", OperationType::info, OperationType::fail); }},
    {"crashed acquires of the living acquire nothing", "mutex", Owners::outliving, "",
     [](History& h) { confuse(h, "acquire", OperationType::info, OperationType::fail); }},
    {"crashed releases of the living must have released", "mutex", Owners::outliving, "",
     [](History& h) { confuse(h, "release", OperationType::info, OperationType::ok); }},
    {"owners count", "mutex-ownerless", Owners::processes, "mutex", nullptr},
    {"owners do not count", "mutex", Owners::processes, "mutex-ownerless", nullptr},
    {"candidates that fail stay candidates", "mutex-ownerless", Owners::processes, "",
     [](History& h) { confuse(h, "release", OperationType::fail, OperationType::info); }},
    {"crashed acquires are dropped", "try-mutex", Owners::processes, "",
     [](History& h) {
       // An owner that crashed while acquiring never asked.
       std::map<std::int32_t, std::size_t> asked;
       std::vector<bool> drop(h.operations.size());
       for (std::size_t i = 0; i < h.operations.size(); ++i) {
         const OperationEvent& e = h.operations[i];
         if (function_of(h, e) != "acquire") continue;
         if (e.type == OperationType::invoke) asked[e.process] = i;
         if (e.type == OperationType::info) drop[i] = drop[asked[e.process]] = true;
       }
       std::vector<OperationEvent> out;
       for (std::size_t i = 0; i < drop.size(); ++i) {
         if (!drop[i]) out.push_back(h.operations[i]);
       }
       h.operations = out;
     }},
    {"attempts say nothing", "try-mutex", Owners::processes, "mutex", nullptr},
    {"one level too many", "reentrant-mutex:2", Owners::processes, "reentrant-mutex:3", nullptr},
    {"no nesting", "reentrant-mutex:2", Owners::processes, "mutex", nullptr},
    {"tokens only do not decrease", "fenced-mutex", Owners::processes, "", allow_equal_tokens},
    {"tokens only do not decrease", "fencing-tokens", Owners::processes, "", allow_equal_tokens},
    {"nested acquires get new tokens", "reentrant-fenced-mutex:2", Owners::processes, "", allow_equal_tokens},
    {"tokens are not looked at", "reentrant-fenced-mutex:2", Owners::processes, "reentrant-mutex:2", nullptr},
    {"readers exclude each other", "rw-mutex", Owners::processes, "",
     [](History& h) {
       for (NameId& f : h.functions) {
         if (h.names.view(f) == "acquire-read") f = h.names.intern("acquire");
       }
     }},
    {"writers share", "rw-mutex", Owners::processes, "",
     [](History& h) {
       for (NameId& f : h.functions) {
         if (h.names.view(f) == "acquire-write") f = h.names.intern("acquire-read");
         if (h.names.view(f) == "release-write") f = h.names.intern("release-read");
       }
     }},
    {"one permit too many", "semaphore:2", Owners::processes, "semaphore:3", nullptr},
    {"releases count from their return", "semaphore:2", Owners::processes, "",
     [](History& h) { invoke_late(h, "release"); }},
    {"failed releases release", "semaphore:2", Owners::processes, "",
     [](History& h) { confuse(h, "release", OperationType::fail, OperationType::info); }},
    {"one permit too few", "semaphore-ownerless:2", Owners::processes, "semaphore-ownerless:1", nullptr},
    {"cores last until the refresh returns", "lease-mutex", Owners::processes, "",
     [](History& h) { invoke_late(h, "refresh"); }},
    {"refreshes prove nothing", "lease-mutex", Owners::processes, "",
     [](History& h) { confuse(h, "refresh", OperationType::ok, OperationType::fail); }},
    {"all permits are free at first", "semaphore:3@2", Owners::processes, "semaphore:3", nullptr},
    {"all permits are free at first", "semaphore-ownerless:2@0", Owners::processes, "semaphore-ownerless:2", nullptr},
    {"refusals say nothing", "try-lease-mutex", Owners::processes, "lease-mutex", nullptr},
    {"refusals count from their return", "try-lease-mutex", Owners::holds, "",
     [](History& h) { invoke_late(h, "refresh"); }},
    {"failed expires are refusals", "try-lease-mutex", Owners::processes, "",
     [](History& h) {
       for (NameId& f : h.functions) {
         if (h.names.view(f) == "expire") f = h.names.intern("release");
       }
     }},
    {"nothing lapses", "lease-mutex", Owners::processes, "logged-lease-mutex", nullptr},
    {"anything lapses", "logged-lease-mutex", Owners::processes, "lease-mutex", nullptr},
};

TEST(BrokenTwins, AreCaughtByTheComparison) {
  for (const Twin& twin : kTwins) {
    const AgreementCount t = compare(twin.model, twin.owners, 20'000, 2'000'000, twin.checked_as, twin.spoil);
    EXPECT_GT(t.wrong, 0) << twin.model << ": " << twin.what;
  }
}

}  // namespace
}  // namespace picklock
