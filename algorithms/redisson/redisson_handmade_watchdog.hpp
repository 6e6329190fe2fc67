// A published sketch of how Redisson's watchdog works, taken at its word: lock() with a thread that renews.
//
//   acquire  the acquire script of RedissonLock with a lease of half a minute; then a new thread
//   renewal  that thread: every third of the lease, PEXPIRE if the owner's field is there
//   release  the unlock script of RedissonLock
//
// From:      a published description of Redis locks in Java, its part on the watchdog (Redisson 3.16.8).
// Promises:  nothing as it stands; with `answer` and `interrupt` repaired what RedissonLock with a leaseTime does, and
//            with `renewal-owner` repaired too, a lease that is renewed.
// Does not:  as it stands, keep any client out.
// Abandoned: a lock that the script has granted has no owner until its lease is over.
//
// The defaults are the listing as published.  Its bugs, each an option, a test and a scenario:
//   answer = "dropped"     lock() waits for the answer to the script and does not look at it: granted or refused, it goes on
//   interrupt = "returns"  a thread that is interrupted while it waits has its flag set, and lock() returns as if granted
//   renewal-owner = "renewal-thread"  the owner's name is made where it is used, in the thread that renews: it asks for a
//                          field that no thread has taken, and nothing is ever renewed
//   renewal-stop = "never" no code interrupts that thread; it also renews what its thread is granted later without knowing
//   refusal = "ignored"    the thread is told that the lock is no longer there, and neither stops nor says so
// An exception of a renewal, say a timeout, ends its thread (the listing catches interrupts only).
#pragma once

#include <vector>

#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {

enum class HandmadeAnswer : std::uint8_t { dropped, heeded };
constexpr auto enum_names(HandmadeAnswer) { return name_list("dropped", "heeded"); }

// Reaction of lock() to an interrupt of its thread.
enum class HandmadeInterrupt : std::uint8_t { returns, passed_on };
constexpr auto enum_names(HandmadeInterrupt) { return name_list("returns", "passed-on"); }

// The thread whose name a renewal asks for.
enum class HandmadeOwner : std::uint8_t { renewal_thread, locking_thread };
constexpr auto enum_names(HandmadeOwner) { return name_list("renewal-thread", "locking-thread"); }

enum class HandmadeStop : std::uint8_t { never, at_release };
constexpr auto enum_names(HandmadeStop) { return name_list("never", "at-release"); }

// Effect of a refused renewal.
enum class HandmadeRefusal : std::uint8_t {
  ignored,
  ends_and_tells  // the thread ends, and the holder is told of its loss
};
constexpr auto enum_names(HandmadeRefusal) { return name_list("ignored", "ends-and-tells"); }

struct HandmadeWatchdogOptions {
  HandmadeWatchdogOptions() { lock.renewal = RedissonRenewal::none; }
  RedissonOptions lock = RedissonOptions::of(RedissonRelease::v3_16_8);
  HandmadeAnswer answer = HandmadeAnswer::dropped;
  HandmadeInterrupt interrupt = HandmadeInterrupt::returns;
  std::optional<Duration> interrupted_after;  // an acquire that waits for that long is interrupted
  HandmadeOwner renewal_owner = HandmadeOwner::renewal_thread;
  HandmadeStop renewal_stop = HandmadeStop::never;
  HandmadeRefusal refusal = HandmadeRefusal::ignored;
  void fields(FieldVisitor& v);
};

class HandmadeWatchdog final : public RedissonLock {
 public:
  HandmadeWatchdog(const LockContext& context, const HandmadeWatchdogOptions& options);
  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Event* lost() override { return handmade_.refusal == HandmadeRefusal::ends_and_tells ? &lost_ : nullptr; }

 private:
  Task<Acquired> ask(Patience patience);
  Hold believed(MonoTime asked);
  bool runs(std::uint32_t renewal) const;
  Task<void> renew(std::uint32_t renewal, std::string owner);

  HandmadeWatchdogOptions handmade_;
  std::vector<std::uint32_t> renewals_;  // renewals of acquisitions that have not been released
  std::uint32_t renewals_begun_ = 0;
  Event lost_;
};

}  // namespace picklock
