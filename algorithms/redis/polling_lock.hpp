// The loop of every lock that asks, and if refused asks again after a pause.
//
//   acquire = until patience is over:
//             take; if granted, done; if unknown, do as `on-unknown` says; pause
//
// A lock adds one attempt (`take`) and its reverse (`release`).  An answer that stays away
// leaves three choices, all of them found in the field:
//
//   undo         release what may have been granted.  Safe if the release proves its ownership;
//                with a bare DEL it may end another's hold.
//   assume-held  go on as if granted.  Two clients may believe so.
//   ignore       try again.  The grant stays at the server, as an orphan that keeps
//                all clients out, ourselves included, for one lease; without a lease for ever.
#pragma once

#include "algorithms/lock.hpp"

namespace picklock {

enum class OnUnknown : std::uint8_t { undo, assume_held, ignore };
constexpr auto enum_names(OnUnknown) { return name_list("undo", "assume-held", "ignore"); }

struct PollingOptions {
  Law retry = Law::uniform(milliseconds(5), milliseconds(10));
  OnUnknown on_unknown = OnUnknown::ignore;
  void fields(FieldVisitor& v);
};

class PollingLock : public Lock {
 public:
  Task<Acquired> acquire(Patience patience) final;
  std::optional<MonoTime> deadline(const Hold& hold) const override;

 protected:
  PollingLock(const Host& host, PollingOptions polling) : Lock(host), polling_(std::move(polling)) {}

  // Hold that an attempt beginning now would be granted.
  virtual Hold propose() = 0;
  // One attempt.  The grant may differ from what was proposed (by a token, a later deadline).
  virtual Task<Acquired> take(Hold proposed) = 0;
  // The acquire is about to end with this grant.  Here a renewal begins.
  virtual void granted(const Hold&) {}

  // Notes that the current hold now lasts until `due`; an older hold is left as it was.
  void prolong(const Hold& hold, MonoTime due);

 private:
  Acquired grant(Hold hold);

  PollingOptions polling_;
  Hold current_;
};

// The same refusal or unknown answer, for a value of another type.
template <class To, class From>
Outcome<To> passed_on(const Outcome<From>& answer) {
  return Outcome<To>::as(answer);
}

// True if the service itself said no, rather than failed or was not reached.
template <class T>
bool said_no(const Outcome<T>& answer) {
  return answer.why() == Why::refused;
}

}  // namespace picklock
