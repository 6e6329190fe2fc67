// The search for locks whose owners count, when an owner does several things at once or lives on
// after an operation of unknown outcome.
//
// The question is then NP-complete in general (from 3-SAT: each crashed release of an owner may be
// spent at one of several places), but hardly ever in practice: most crashed operations are forced,
// since the next acquire needs the release, or the next release the acquire.  So the search keeps
// *configurations*: who holds, which open operations were placed already, how many crashed ones
// were spent.  As a rule there is one.
//
// Operations are placed just in time (Lowe, "Testing for linearizability", 2017): only when one
// returns that was not placed yet, and then in the laziest way.  Three arguments bound the choice.
//   1. Nothing but room and ownership can stand in the way, so of the holders only those are made
//      to release, one after the other, without which the returning operation has no room.
//   2. An acquire of another owner may wait unless its release goes with it: it leaves more room
//      where it is not.  So besides, only *pairs* are placed, acquire and release of one owner with
//      nothing in between (holding longer has no use), and only if one of the two is open: two
//      crashed ones can be left out.
//      (Only where tokens tell whether an acquire was nested does it matter whether its owner had
//      let go; so there, operations of the owner at hand, and of owners with open ones, are also
//      placed alone.)
//   3. Crashed operations of one owner and kind are the same, and to have spent fewer is better: a
//      configuration that is otherwise equal and has spent more is dropped.
// An operation that changes nothing (keep) is placed as soon as it can be.
//
// Time and memory grow with the configurations; past kConfigurations of them, or kSteps for one
// event, the search gives up, and says so.  It asks the bounds of the check at every step, with the
// configurations in the tables of that step, so that they are kept within one event as well.
//
// owner_search.cpp has the events, owner_search_steps.cpp the search for one of them, owner_search_moves.cpp what a
// configuration permits, owner_search_words.cpp the result in words.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/models/lock_rules.hpp"
#include "checker/models/model.hpp"
#include "checker/models/models.hpp"
#include "checker/models/owner.hpp"

namespace picklock {

class OwnerSearch {
 public:
  static constexpr std::size_t kConfigurations = 4'096;
  static constexpr std::size_t kSteps = 65'536;

  OwnerSearch(const ModelContext& context, const LockRules& rules);

  // The state of the sweep.  First all operations that are open or crashed, then every way in which
  // those that the sweep counted as done may have been done, then begin().
  struct Holding {
    OwnerKey owner = 0;
    bool shared = false;
    std::int64_t count = 1;
    std::int64_t token = kNoToken;
  };
  struct Start {
    std::vector<Holding> holdings;
    std::vector<std::int32_t> placed;                    // placed open operations; key: process
    std::vector<std::pair<OwnerKey, LockAction>> spent;  // crashed operations that took effect
    std::int64_t newest_token = 0;
  };
  void open(OwnerKey owner, LockAction action, std::int32_t process);
  void crashed(OwnerKey owner, LockAction action);
  void held_by(OwnerKey owner, const WitnessHold& hold);  // notes a hold for the witness
  void begin(const Start& start);

  void invoked(OwnerKey owner, LockAction action, const OperationEvent& invoke);
  void returned(const OperationEvent& invoke, const OperationEvent& end);

  // The acquires of the holds that last, if there is no more to know: one configuration, and nothing is open or of unknown
  // outcome but these operations.
  using Pending = std::map<std::pair<OwnerKey, LockAction>, std::uint32_t>;
  [[nodiscard]] std::optional<std::vector<SeenCall>> settled(const Pending& pending) const;

  // While the lock rests (kept_state.hpp); only if it is not done.
  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.open_, self.classes_, self.configurations_, self.held_, self.held_kept_, self.last_,
            self.newest_token_);
    if constexpr (Archive::kReads) self.number_classes();
  }

  [[nodiscard]] bool done() const { return result_.verdict != Verdict::holds; }
  [[nodiscard]] const ModelResult& result() const { return result_; }
  [[nodiscard]] std::size_t memory() const;  // bytes, roughly

 private:
  using ClassId = std::uint32_t;  // class of crashed operations

  struct Holder {
    OwnerKey owner = 0;
    bool shared = false;
    std::int64_t count = 0;
    std::uint32_t grant = 0;  // place in Configuration::grants, if fenced
    auto operator<=>(const Holder&) const = default;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& h) {
      archive(h.owner, h.shared, h.count, h.grant);
    }
  };
  struct Placed {
    std::int32_t process = 0;
    std::uint32_t grant = 0;
    auto operator<=>(const Placed&) const = default;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& p) {
      archive(p.process, p.grant);
    }
  };
  struct Spent {
    ClassId id = 0;
    std::uint32_t times = 0;
    auto operator<=>(const Spent&) const = default;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& s) {
      archive(s.id, s.times);
    }
  };
  struct Configuration {
    std::vector<Holder> holders;       // ascending
    std::vector<Placed> placed;        // ascending
    std::vector<std::int64_t> grants;  // tokens in the order of the holds; kNoToken: not known yet
    std::vector<Spent> spent;          // ascending; declared last, so that comparable configurations are neighbours
    auto operator<=>(const Configuration&) const = default;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& c) {
      archive(c.holders, c.placed, c.grants, c.spent);
    }
  };
  struct Open {
    OwnerKey owner = 0;
    LockAction action = LockAction::acquire;
    std::int32_t process = 0;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& o) {
      archive(o.owner, o.action, o.process);
    }
  };
  struct Class {
    OwnerKey owner = 0;
    LockAction action = LockAction::acquire;
    std::uint32_t total = 0;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& k) {
      archive(k.owner, k.action, k.total);
    }
  };
  struct Choice {  // an operation that may be placed
    LockAction action = LockAction::acquire;
    bool crashed = false;
    std::int32_t process = 0;
    ClassId id = 0;
  };
  using Configurations = std::set<Configuration>;

  [[nodiscard]] std::int64_t room(const Configuration& c) const;
  [[nodiscard]] bool acquirable(const Configuration& c, OwnerKey owner, bool shared) const;
  static bool placed(const Configuration& c, std::int32_t process);
  std::vector<Choice> choices(const Configuration& c, OwnerKey owner, std::int32_t except,
                              const std::function<bool(LockAction)>& wanted) const;

  bool apply(Configuration& c, OwnerKey owner, const Choice& choice, std::int64_t token);
  bool place(Configuration& c, OwnerKey owner, const Choice& choice);
  void keep_eagerly(Configuration& c, OwnerKey owner) const;
  bool fix(Configuration& c, std::uint32_t grant, std::int64_t token);
  void tidy(Configuration& c) const;

  Configurations with_room(const Configuration& c, OwnerKey owner, bool shared, std::int32_t except);
  void reach(const Configuration& from, const Open& x, std::int64_t token, Configurations& out);
  void direct(const Configuration& c, const Open& x, std::int64_t token, Configurations& out);
  void nests(const Configuration& c, const Open& x, Configurations& out);
  void pairs(const Configuration& c, std::int32_t except, Configurations& out);

  static void rename(Configuration& c, OwnerKey from, OwnerKey to);
  ClassId class_of(OwnerKey owner, LockAction action);
  void number_classes();
  void settle(Configurations next);
  void forget_holds();
  void drop_dominated(Configurations& all);
  void fold();
  static std::size_t bytes_of(const Configuration& c);
  bool add(Configurations& to, Configuration c);  // true: the configuration is new
  bool in_bounds();
  bool step();

  void impossible(const Open& x, const OperationEvent& invoke, const OperationEvent& end);
  void give_up();

  ModelContext context_;
  LockRules rules_;
  std::vector<Open> open_;  // unordered; one for each process
  std::vector<Class> classes_;
  std::map<std::pair<OwnerKey, LockAction>, ClassId> class_ids_;
  Configurations configurations_;
  std::map<OwnerKey, WitnessHold> held_;  // the newest of each owner that may hold
  std::size_t held_kept_ = 0;             // size of held_ after forget_holds() ran last
  WitnessHold last_;                      // hold acquired last
  WitnessHold newest_token_;
  bool token_conflict_ = false;
  std::size_t steps_ = 0;        // steps spent on this event
  std::size_t table_bytes_ = 0;  // bytes of this event's tables, those of finished steps left out
  bool stopped_ = false;         // true: the bounds of the check were reached
  ModelResult result_;
};

}  // namespace picklock
