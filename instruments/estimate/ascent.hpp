// The ascent of a run: how near it came to a violation, as a number that grows in time.
//
// The level of a hold is the age that its promise will have when the client is done with it, if nothing more delays it: in
// millionths of the lease that a server's grant or latest renewal gave.  From 1'000'000 on the client is too late.  The age
// is that of now and the time that the client usually still works on the promise, until it renews or releases: work that is
// done does not raise the level, and a pause early in the work raises it as much as one late.  A hold whose ownership ends early, because the server
// lost it or its clock jumped, is at 1'000'000 from then on.  The promise is that of the lock's own judge (scenarios/recording/): the
// expiry of a key, the session of a znode, the lease of an etcd key, or of several servers the majority.  Only a hold counts
// whose client believes in it, or waits for an answer on its behalf: of its acquire, or of a write.
//
// The level of a run is the largest of its holds so far.  It depends on the past alone, so the first instant at which it
// reaches a bound is one at which a run may branch off.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

using Level = std::int64_t;  // time in millionths of a lease
inline constexpr Level kLeaseOver = 1'000'000;

// Time that clients usually work on one promise, awake: the median over plain runs, by client.
class UsualWork {
 public:
  void add(const History& history);
  std::int64_t of(const std::string& client) const;  // 0: nothing is known

 private:
  std::map<std::string, std::vector<std::int64_t>> times_;
};

class Ascent {
 public:
  Ascent() = default;
  explicit Ascent(const History& history, const UsualWork& usual = {});  // climbs until the probe begins

  Level highest() const { return pieces_.empty() ? 0 : pieces_.back().to; }
  // The instant, in ns of true time, from which on a run that has reached this level may go on otherwise: the level is
  // reached by what happened before it.  level > 0.
  std::optional<std::int64_t> reaches(Level level) const;

 private:
  friend class AscentSweep;
  struct Piece {  // the level rises from one value to another, above all before
    std::int64_t at = 0, until = 0;
    Level from = 0, to = 0;
    std::int64_t since = 0, span = 1;  // level = (t - since) / span in between
  };
  std::vector<Piece> pieces_;
};

}  // namespace picklock
