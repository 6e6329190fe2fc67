// Draws give a run all its randomness; each draw has a name.
//
// The name says who draws (a task, or a link between two nodes), for what purpose, during which
// operation, and its number within that operation:
//
//   a/retry-delay@a#3.1          client a, in its third operation, its first retry delay
//   a>redis/latency@a#3.2        the latency from a to redis of the second segment it sends in it
//   redis>a/latency@a#3.129      … and of the answer: draws that serve segment n count on from 64 n
//
// The value depends on the seed and on that name alone; no counter outlives its operation.  So when
// a fault, a retry or a client is removed, the draws of everything else stay as they were.  Tasks of
// one name that run on one node within one operation share their draws: give them names of their own.
// The names of nodes and tasks contain none of / @ # > and those of nodes no dot.
// Two tools change the draws of a known run: a re-seeding from a true instant on ("the same until
// 3.2 s, then differently") and a table of overrides ("this one delay is 90 s").  A re-seeding also draws
// a length that is running anew, given how long it has run: such a draw has the instant behind its name,
//   world/fault@world#0.2|3200000000     a fault's whole length, drawn again at 3.2 s
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/law.hpp"
#include "sim/core/clock.hpp"
#include "sim/task/purpose.hpp"

namespace picklock {

// An entity draws: a task, by its index in the world's table of entities, or the link between two nodes.
struct Entity {
  std::uint64_t hash = 0;  // hash of the name, on which the value depends
  std::uint32_t id = 0;    // index from which the name is printed
};

// An operation names the work of a task and its client.  It travels with every message; server *logic* never reads it.
struct Operation {
  std::uint64_t key = 0;      // hash of owner and ordinal
  std::uint32_t owner = 0;    // entity id
  std::uint32_t ordinal = 0;  // 0: before the first operation
  std::uint32_t hold = 0;     // hold that the draw belongs to; 0: none

  static std::uint64_t key_of(std::uint64_t owner_hash, std::uint32_t ordinal) {
    return mix(owner_hash + ordinal * kGolden);
  }
};

struct DrawRecord {
  TrueTime time;
  std::uint32_t entity = 0, owner = 0, ordinal = 0, n = 0;
  Purpose purpose{};
  std::int64_t value = 0;
  TrueTime again{};  // the instant at which a running length was drawn again; 0: the first draw
  Law law{};         // law of the draw; constant 0: raw bits without a law
};

// An override fixes the value of a named draw under every seed.
struct DrawOverride {
  std::string name;  // name as printed
  std::int64_t value = 0;
  bool operator==(const DrawOverride&) const = default;
};

class Draws {
 public:
  void reset(std::uint64_t seed) {  // also clears the overrides
    seed_ = mix(seed + kGolden);
    log_.clear();
    overrides_.clear();
    note_special();
  }
  void reseed(std::uint64_t seed) { seed_ = mix(seed + kGolden); }

  // The name as a number, on which the value depends.
  static std::uint64_t name_of(const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n) {
    return mix((who.hash ^ op.key) + (static_cast<std::uint64_t>(purpose) << 32 | n) * kGolden);
  }
  // The common case: this draw is not overridden, and no list of draws is kept.
  bool is_plain(std::uint64_t name) const { return (special_ >> (name & 63) & 1) == 0; }
  std::int64_t draw_plainly(std::uint64_t name, const Law& even) const { return even.sample_evenly(mix(name ^ seed_)); }

  std::uint64_t bits(TrueTime now, const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n) {
    const std::uint64_t name = name_of(who, purpose, op, n), value = mix(name ^ seed_);
    if (is_plain(name)) [[likely]]
      return value;
    return static_cast<std::uint64_t>(
        specially(now, who, purpose, op, n, name, static_cast<std::int64_t>(value), nullptr));
  }
  std::int64_t draw(TrueTime now, const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n,
                    const Law& law) {
    const std::uint64_t name = name_of(who, purpose, op, n);
    const std::int64_t value = law.sample(mix(name ^ seed_));
    if (is_plain(name)) [[likely]]
      return value;
    return specially(now, who, purpose, op, n, name, value, &law);
  }

  // A length that was drawn under this name, and has run for `beyond` of it by now, is drawn again given that.  One that is
  // overridden stays as it is.
  std::int64_t redraw(TrueTime now, const Entity& who, Purpose purpose, const Operation& op, std::uint32_t n,
                      const Law& law, std::int64_t beyond, std::int64_t value);

  // Replaces the table; nothing if all names could be read, else the first bad one.
  std::optional<std::string> set_overrides(const std::vector<DrawOverride>& overrides);
  void log(bool on) {
    logging_ = on;
    note_special();
  }
  const std::vector<DrawRecord>& logged() const { return log_; }
  std::uint64_t identity() const;  // hash of seed and overrides, which determine all draws to come

  static std::uint64_t link_hash(std::uint64_t from, std::uint64_t to) { return mix(from, to); }

 private:
  // Names the second draw for the rest of a running length at this instant.
  static std::uint64_t name_again(std::uint64_t name, TrueTime at) {
    return mix(name, static_cast<std::uint64_t>(at.ns));
  }
  void note_special();
  const std::int64_t* overridden(std::uint64_t name) const;
  std::int64_t specially(TrueTime, const Entity&, Purpose, const Operation&, std::uint32_t n, std::uint64_t name,
                         std::int64_t value, const Law* law);

  std::uint64_t seed_ = 0;
  bool logging_ = false;
  std::uint64_t special_ = 0;  // bit name % 64: a draw of such a name may be overridden; all of them: each is logged
  struct Override {
    std::uint64_t name;
    std::int64_t value;
  };
  std::vector<Override> overrides_;  // sorted by name
  std::vector<DrawRecord> log_;
};

}  // namespace picklock
