// Products of executing a command, beside its reply.
//
//  - Effects: what goes to the append-only file and to replicas.  Deadlines in them are absolute
//    (PXAT, PEXPIREAT), an expiry is a DEL, and the effects of one script or transaction form a unit
//    that is carried as MULTI .. EXEC.
//  - Notes: which keys changed and how.  For the judge; no server logic reads them.
//  - Deliveries: messages of publish/subscribe, in the order in which they leave.
//
// One object serves a whole run: clear() keeps the storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/small_bytes.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

enum class KeyChange : std::uint8_t {
  set,          // the key was absent and now has a value
  overwritten,  // its value was replaced as a whole
  changed,      // its value was modified in place: a field, an item, a number that grew
  decremented,  // a number in it was lowered
  ttl_set,      // only the deadline changed; kNoExpiry: it was removed
  deleted,
  expired
};
std::string_view to_string(KeyChange change);

enum class RedisEffectKind : std::uint8_t {
  plain,
  replicas_only,  // a published message: no log keeps it
  expiry          // the DEL of a key whose deadline had passed; only the judge distinguishes it from others
};

enum class EffectTarget : std::uint8_t { append_only_file, replica };

class RedisOutputs {
 public:
  struct Note {
    KeyChange what = KeyChange::set;
    std::int64_t expires_at_ms = 0;  // the deadline afterwards; kNoExpiry: none, or the key is gone
    std::string_view key;            // valid until the next execution or clear()
  };
  struct Delivery {
    std::uint32_t session = 0;                  // receiving session
    std::optional<std::string_view> pattern{};  // the pattern that matched; nothing: subscribed to the channel
    std::string_view channel;                   // valid until the next execution or clear()
    std::string_view message;
    bool of_shard = false;  // the channel is one of a shard
  };

  void clear() {
    if (!empty_) forget();
  }
  bool empty() const { return empty_; }

  // Calls visit(RedisCommandView) for every effect in order, with MULTI and EXEC around units of
  // more than one.
  template <class Visit>
  void for_each_effect(EffectTarget target, Visit&& visit) const {
    static const RedisCommand kMulti("MULTI");
    static const RedisCommand kExec("EXEC");
    for (const Unit& unit : units_) {
      const bool wrapped = unit.end - unit.begin > 1;
      if (wrapped) visit(RedisCommandView(kMulti));
      for (std::uint32_t i = unit.begin; i < unit.end; ++i) {
        const Effect& effect = effects_[i];
        if (effect.kind == RedisEffectKind::replicas_only && target == EffectTarget::append_only_file) continue;
        visit(RedisCommandView(text(effect.command)));
      }
      if (wrapped) visit(RedisCommandView(kExec));
    }
  }
  bool has_effects() const { return !units_.empty(); }
  // One unit, without MULTI and EXEC: visit(RedisCommandView, RedisEffectKind).
  std::size_t unit_count() const { return units_.size(); }
  template <class Visit>
  void for_each_effect_of(std::size_t unit, Visit&& visit) const {
    for (std::uint32_t i = units_[unit].begin; i < units_[unit].end; ++i) {
      visit(RedisCommandView(text(effects_[i].command)), effects_[i].kind);
    }
  }

  std::size_t note_count() const { return notes_.size(); }
  Note note(std::size_t index) const;
  // The fields of a hash that a note is about: visit(name) for each, in order of modification.
  template <class Visit>
  void for_each_field_of(std::size_t note, Visit&& visit) const {
    visit_parts(note, false, visit);
  }
  // Visits the members of a sorted set.
  template <class Visit>
  void for_each_member_of(std::size_t note, Visit&& visit) const {
    visit_parts(note, true, visit);
  }
  std::size_t delivery_count() const { return deliveries_.size(); }
  Delivery delivery(std::size_t index) const;

  // The database calls these.
  // Effects need not be added while there is neither a log nor a replica.
  void want_effects(bool yes) { wants_effects_ = yes; }
  bool wants_effects() const { return wants_effects_; }
  void add_effect(std::string_view packed_command, RedisEffectKind kind = RedisEffectKind::plain);
  void end_unit() {  // the effects since the last unit become one
    if (!effects_.empty()) end_unit_of_effects();
  }
  void add_note(KeyChange what, std::string_view key, std::int64_t expires_at_ms);
  void add_field(std::string_view field) { add_part(field, false); }  // the next note has this field
  void add_member(std::string_view member) { add_part(member, true); }
  void add_delivery(const Delivery& delivery);

 private:
  struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  struct Effect {
    Slice command;
    RedisEffectKind kind = RedisEffectKind::plain;
  };
  struct Unit {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct StoredNote {
    std::int64_t expires_at_ms = 0;
    Slice key;
    KeyChange what = KeyChange::set;
  };
  struct StoredField {
    std::size_t note = 0;
    Slice name;
    bool is_member = false;  // a sorted set's member
  };
  struct StoredDelivery {
    std::uint32_t session = 0;
    bool by_pattern = false, of_shard = false;
    Slice pattern, channel, message;
  };
  void forget();
  void end_unit_of_effects();
  void add_part(std::string_view name, bool is_member);
  template <class Visit>
  void visit_parts(std::size_t note, bool members, Visit&& visit) const {
    for (const StoredField& f : fields_) {
      if (f.note == note && f.is_member == members) visit(text(f.name));
    }
  }
  Slice store(std::string_view bytes);
  std::string_view text(Slice slice) const { return {bytes_.data() + slice.offset, slice.size}; }

  bool empty_ = true, wants_effects_ = true;
  SmallBytes<64> bytes_;
  std::vector<Effect> effects_;
  std::vector<Unit> units_;
  std::vector<StoredNote> notes_;
  std::vector<StoredField> fields_;
  std::vector<StoredDelivery> deliveries_;
};

// The message that a subscriber gets.
RedisReply redis_push(const RedisOutputs::Delivery& delivery);

}  // namespace picklock
