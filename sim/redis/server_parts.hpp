// What the sources of RedisServer share: its clock, its sleep, and what it is about to send.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "sim/redis/server.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

inline constexpr std::int64_t kNever_ms = std::numeric_limits<std::int64_t>::max();
// Deadlines beyond are as good as none: in nanoseconds they would overflow.
inline constexpr std::int64_t kHorizon_ms = kNever_ms / 2'000'000;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
inline std::int64_t wall_ms(WallTime t) { return floor_div(t.ns, 1'000'000); }
inline std::int64_t wall_ms(const Host& host) { return wall_ms(host.wall_now()); }

inline std::int64_t whole_seconds(Duration d) { return d.ns / seconds(1).ns; }

// What a master sends on a replication link without being asked begins with one of these.
namespace link_tag {
inline constexpr char nothing = 'N';   // "I live": to a replica that waits for a snapshot
inline constexpr char goes_on = 'C';   // id; units follow
inline constexpr char snapshot = 'R';  // id, offset, log; units follow
inline constexpr char unit = 'S';      // offset, unit
}  // namespace link_tag

inline void put_word(std::string& to, std::uint64_t word) {
  to.append(reinterpret_cast<const char*>(&word), sizeof word);
}

// A reply in its bytes: on the stack, unless it is long.
class EncodedReply {
 public:
  explicit EncodedReply(const RedisReply& reply) : size_(encoded_size(reply)) {
    if (size_ > small_.size()) large_.resize(size_);
    encode(reply, size_ > small_.size() ? large_.data() : small_.data());
  }
  std::string_view view() const { return {size_ > small_.size() ? large_.data() : small_.data(), size_}; }

 private:
  std::size_t size_;
  std::string large_;
  std::array<char, 256> small_;
};

// co_await Nap(…): until somebody rings, or `until` has come.
class [[nodiscard]] RedisServer::Nap {
 public:
  Nap(const Service& service, Nap*& place, const char* what, std::optional<MonoTime> until = {}, bool receives = false)
      : world_(service.world()),
        place_(place),
        what_(what),
        until_(until),
        node_(service.node()),
        receives_(receives) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(world_, world_.wait(node_, me, what_));
    if (until_) timer_.set(world_, world_.wait_until(node_, me, *until_, what_));
    if (receives_) world_.set_receiver(node_, wait_.id());
    place_ = this;
  }
  void await_resume() {
    place_ = nullptr;
    if (receives_) world_.set_receiver(node_, 0);
    timer_.reset();
    wait_.reset();
  }
  void ring() {
    if (!std::exchange(rung_, true)) world_.wake(wait_.id());
  }
  bool has_timer() const { return timer_.id() != 0; }
  void drop_timer() { timer_.reset(); }

 private:
  World& world_;
  Nap*& place_;  // where the others find it
  const char* what_;
  std::optional<MonoTime> until_;
  NodeId node_;
  bool receives_, rung_ = false;
  OwnedWait wait_, timer_;
};

// What a turn sends leaves at its end.  Lives in the frame of main: what has not left dies with it.
class RedisServer::Outbox {
 public:
  explicit Outbox(World& world) : world_(world) {}

  void hold(bool on) { holding_ = on; }  // else there is nothing to wait for
  // direction 1: on a connection to this server; 0: on its own link to its master.
  void send(ConnectionId to, std::uint64_t call, std::string_view bytes, std::uint8_t direction = 1) {
    send(to, call, bytes, direction, world_.current_operation(), world_.next_segment());
  }
  void send(ConnectionId to, std::uint64_t call, std::string_view bytes, std::uint8_t direction,
            const Operation& operation, std::uint32_t n) {
    Message m;
    m.body = Bytes(world_.arena(), bytes);
    m.call = call;
    m.operation = operation;
    m.n = n;
    m.connection = to;
    m.direction = direction;
    if (holding_) {
      held_.push_back(std::move(m));
    } else {
      world_.network.send(std::move(m));
    }
  }
  void let_go() {
    for (Message& m : held_) world_.network.send(std::move(m));
    held_.clear();
  }

 private:
  World& world_;
  bool holding_ = false;
  std::vector<Message> held_;
};

}  // namespace picklock
