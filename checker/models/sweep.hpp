// The way from a stream of events to models: pairs each completion with its invoke, and gives every
// lock a model of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checker/models/models.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

// An event that cannot be, such as an ok without its invoke.
class ImpossibleEvent : public std::runtime_error {
 public:
  ImpossibleEvent(std::string what_was_found, std::string what_was_expected)
      : std::runtime_error("found " + what_was_found + ", expected " + what_was_expected),
        found(std::move(what_was_found)),
        expected(std::move(what_was_expected)) {}

  std::string found;
  std::string expected;
};

// Memory: for each process its open or crashed operation; for each lock the bytes of its model's state, none if that
// equals the first state; and the models that are kept awake, and those whose state takes more than kMostBytes.
class Sweep {
 public:
  static constexpr std::size_t kAwake = 1024;

  // `tables` and `naming` may grow while events are fed.  They and `bounds`, if any, are handed to the models.
  Sweep(const ModelChoice& choice, const History& tables, Bounds* bounds = nullptr, const Naming* naming = nullptr)
      : choice_(choice), tables_(tables), bounds_(bounds), naming_(naming) {}

  // Feed events in the order of the history.  Operations of functions that the model does not know, and of
  // processes that are no clients, are skipped.  Throws ImpossibleEvent.
  void feed(const OperationEvent& event);

  // See Model::met_keys.
  [[nodiscard]] bool met_keys(std::vector<std::string>& keys) const;

  // The violation that shows first, perhaps with a minimal witness, else what is undecided.  Called once; forgets the
  // models.
  ModelResult finish(bool with_witness = true);

  [[nodiscard]] std::uint64_t operations() const { return operations_; }  // operations that the model knows
  [[nodiscard]] std::uint64_t acquires() const { return acquires_; }      // number of operations that take the lock
  [[nodiscard]] std::uint64_t succeeded() const { return succeeded_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  // Operations of clients that the model does not know, by OperationEvent::f; may be shorter.
  [[nodiscard]] const std::vector<std::uint64_t>& skipped() const { return skipped_; }
  [[nodiscard]] std::uint64_t of_others() const { return of_others_; }  // events of no client, such as the nemesis
  // Events whose time lies before that of an event above them, and the index of the first.
  [[nodiscard]] std::uint64_t backwards() const { return backwards_; }
  [[nodiscard]] std::uint32_t first_backwards() const { return first_backwards_; }
  [[nodiscard]] std::size_t memory() const;  // bytes, roughly

  // Models that are not at rest.
  [[nodiscard]] std::size_t awake() const { return awake_.size(); }

  // Number of models kept before they are dropped, where that is possible (kAwake); 0: at every occasion.
  void keep_awake(std::size_t models) { awake_most_ = awake_at_least_ = models; }

  // Each lock is a key that is to have its own verdict, though others are violated.
  void judge_each(bool each) { each_ = each; }

  // With judge_each, after `finish`: verdicts on the keys, in the order in which they came.
  [[nodiscard]] std::vector<PartVerdict> verdicts() const;

  // See ModelContext::any_violation.
  void accept_any_violation(bool any) { any_violation_ = any; }

 private:
  struct Process {
    PackedEvent invoke;
    std::uint32_t slot = 0;
    std::uint8_t f = 0, role = 0;
    bool pending = false;
    bool crashed = false;
  };
  static constexpr std::size_t kMostBytes = 4096;  // most for a lock at rest: each wake takes a time in proportion
  // Locks by NameId + 1; 0: operations that name no lock.
  struct Lock {
    std::unique_ptr<Model> model;   // model of the lock; none: it rests
    std::unique_ptr<char[]> bytes;  // state while the lock rests; none: that of a new model
    std::uint32_t byte_count = 0;
    bool met = false;
    bool observed = false;  // true: the lock was observed, see Model::observes
  };
  static constexpr std::uint8_t kNoRole = 0xff;

  std::uint8_t role_of(std::uint8_t f) { return f < roles_.size() ? roles_[f] : new_role(f); }
  std::uint8_t new_role(std::uint8_t f);
  static std::uint32_t slot_of(NameId lock) { return lock == kNoName ? 0 : lock + 1; }
  Model& awake(std::uint32_t slot);
  void wake(std::uint32_t slot);
  void rest_some();
  bool rest(Lock& lock, std::string& bytes);
  [[nodiscard]] ModelContext context_of(NameId lock) const;
  std::string name_of(std::size_t slot) const;
  void count(ModelResult& result, std::size_t slot) const;
  void note(const ModelResult& result, std::size_t slot);
  static OperationEvent invoke_of(std::int32_t number, const Process& process);
  void crash(std::int32_t number, Process& process, const OperationEvent& at);

  ModelChoice choice_;
  const History& tables_;
  Bounds* bounds_;
  const Naming* naming_;
  std::vector<std::uint8_t> roles_;   // index: OperationEvent::f
  std::deque<Lock> locks_;            // index: slot
  std::vector<std::uint32_t> awake_;  // slots of locks with a model
  std::size_t awake_most_ = kAwake, awake_at_least_ = kAwake;
  bool any_violation_ = false, each_ = false;
  std::map<std::size_t, PartVerdict> verdicts_;  // verdicts of single locks, if asked for; key: slot
  std::string at_first_;                         // the state of a new model
  std::size_t kept_ = 0;                         // bytes of locks at rest
  SparseMap<std::int32_t, Process> processes_;
  std::uint64_t operations_ = 0;
  std::uint64_t acquires_ = 0;
  std::uint64_t succeeded_ = 0, failed_ = 0;
  std::vector<std::uint64_t> skipped_;
  std::uint64_t of_others_ = 0, backwards_ = 0;
  std::uint32_t first_backwards_ = 0;
  std::int64_t latest_ = kNoTime;
};

}  // namespace picklock
