// The replication stream of a Redis server: all writes in order, each byte with an offset.
//
// A history has an id.  A replica takes over the id and the offset of its master; one that is promoted
// begins a new history and remembers where it left the old one.  So two servers know whether one can
// go on where the other stopped (redis/src/replication.c, masterTryPartialResynchronization).
//
// A unit is what one command, script or transaction gave rise to.  It carries the hold on behalf
// of which it was made; no server logic reads that.  Offsets count the bytes in which a real server would send it.
// Left out: SELECT at the head of the stream, so that offsets are smaller by 23 than real ones;
// repl-backlog-ttl (a backlog is kept for an hour without replicas, here for good).
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "sim/redis/outputs.hpp"

namespace picklock {

// 40 hexadecimal digits in a real server; here 64 bits of them are drawn.
struct ReplicationId {
  std::uint64_t bits = 0;  // 0: none
  std::string to_string() const;
  static ReplicationId parse(std::string_view text);  // none, unless it is one of ours
  bool operator==(const ReplicationId&) const = default;
};

// Appends one unit in its bytes to `to`.
void encode_unit(const RedisOutputs& out, std::size_t unit, std::uint32_t hold, std::string& to);
void encode_unit(const RedisCommand& command, std::string& to);  // unit of the link alone: PING, GETACK

class ReplicationUnitView {
 public:
  explicit ReplicationUnitView(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t hold() const { return word(0); }
  std::int64_t size() const { return word(4); }  // bytes in the stream
  bool of_link() const { return word(8) != 0; }
  template <class Visit>
  void for_each(Visit&& visit) const {  // visit(RedisCommandView, RedisEffectKind)
    for (std::size_t at = kHeader; at < bytes_.size();) {
      const auto kind = static_cast<RedisEffectKind>(bytes_[at]);
      const std::uint32_t length = word(at + 1);
      visit(RedisCommandView(bytes_.substr(at + 5, length)), kind);
      at += 5 + length;
    }
  }
  std::string_view bytes() const { return bytes_; }
  static constexpr std::size_t kHeader = 12;

 private:
  std::uint32_t word(std::size_t at) const {
    std::uint32_t w = 0;
    std::memcpy(&w, bytes_.data() + at, sizeof w);
    return w;
  }
  std::string_view bytes_;
};

class ReplicationStream {
 public:
  void reset(ReplicationId id);  // state of a server at its start: an empty history, no backlog
  void set_backlog_size(std::int64_t bytes) { backlog_size_ = bytes; }

  ReplicationId id() const { return id_; }
  ReplicationId id2() const { return id2_; }
  std::int64_t offset() const { return offset_; }
  std::int64_t second_offset() const { return second_offset_; }  // first byte that id2 does not have
  bool has_backlog() const { return has_backlog_; }
  std::int64_t backlog_bytes() const { return has_backlog_ ? offset_ - backlog_start_ : 0; }
  std::int64_t backlog_start() const { return backlog_start_; }  // offset before its first byte

  void open_backlog();
  void drop_backlog();
  void begin_new_history(ReplicationId id);            // the first replica begins one without a past
  void shift_to(ReplicationId id);                     // the past stays known by its old id: promotion
  void follow(ReplicationId id, std::int64_t offset);  // a snapshot has been loaded

  // Appends a unit and returns its begin.  The backlog must be open.
  std::int64_t append(std::string_view unit);

  // True if a replica that has all of history `id` up to `offset` can be sent the rest.
  bool can_resume(ReplicationId id, std::int64_t offset) const;
  template <class Visit>
  void for_each_after(std::int64_t offset, Visit&& visit) const {  // visit(start, unit)
    for (const Entry& e : backlog_) {
      if (e.start >= offset) visit(e.start, std::string_view(e.unit));
    }
  }

 private:
  struct Entry {
    std::int64_t start;
    std::string unit;
  };
  ReplicationId id_, id2_;
  std::int64_t offset_ = 0, second_offset_ = -1;
  std::int64_t backlog_size_ = 1 << 20, backlog_start_ = 0;
  bool has_backlog_ = false;
  std::deque<Entry> backlog_;
};

}  // namespace picklock
