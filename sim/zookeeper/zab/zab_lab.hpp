// For the tests of this folder: an ensemble without a world, its network and disks, and a plan of mishaps.
//
// Time is in milliseconds.  Messages of a link keep their order, each takes 1 to 8 ms; records reach a
// platter in order, each 1 to 6 ms after the one before.  A process that dies keeps what it had written; a
// machine that loses power what was on the platter.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "sim/zookeeper/zab/peer.hpp"
#include "sim/zookeeper/zab/witness.hpp"

namespace picklock::testing {

struct ZabMishap {
  enum class Kind : std::uint8_t { kill, power_loss, cut, reset_links, slow_disk, propose, pause };
  ZabMs at = 0;
  Kind kind{};
  std::uint32_t who = 0;                         // index of a server
  static constexpr std::uint32_t leading = 100;  // the leader at that time
  static constexpr std::uint32_t all = 101;
  ZabMs lasts = 0;
};

struct ZabLabOptions {
  std::size_t voters = 3, observers = 0;
  ZabOptions zab = {.tick = 40, .snapshot_every = 7};
  std::uint64_t seed = 1;
};

class ZabLab {
 public:
  explicit ZabLab(const ZabLabOptions& options);

  // Runs until `until`, or until the witness complains.
  void run(const std::vector<ZabMishap>& plan, ZabMs until);
  void run_until(ZabMs until);

  std::size_t servers() const { return nodes_.size(); }
  const ZabPeer& peer(std::size_t i) const { return *nodes_[i]->peer; }
  bool up(std::size_t i) const { return nodes_[i]->up; }
  std::size_t leaders() const;
  // All serve, follow one leader, and have applied the same.
  bool converged() const;
  // Proposals that were acknowledged to their proposer, because its leader applied them.
  std::size_t acknowledged() const { return acknowledged_; }
  std::size_t count(ZabMessage::Kind kind) const { return sent_[static_cast<std::size_t>(kind)]; }
  // Messages that leave a server are written down there, "1>2 proposal 1:1 "x"".
  void log_to(std::vector<std::string>* lines) { lines_ = lines; }
  void propose(std::size_t i);
  void inject(ZabMishap m);
  ZabMs now() const { return now_; }

  ZabWitness witness;

 private:
  struct Node final : ZabMachine {
    ZabLab* lab = nullptr;
    ZabSid sid = 0;
    std::unique_ptr<ZabPeer> peer;
    bool up = false;
    std::uint32_t life = 0;
    int cuts = 0;
    ZabMs slow_until = 0, paused_until = 0, disk_free_at = 0, wakes_at = -1;
    std::map<ZabSid, ZabMs> notified_at;
    ZabStored cached, durable;
    ZabPosition handed_over = 0;
    std::size_t applied = 0;
    std::string state;

    void apply(const ZabEntry& e) override {
      lab->witness.applied(sid, e.zxid, hash_of(e.txn));
      state += std::string(e.txn) + ";";
      ++applied;
      if (peer->leads()) ++lab->acknowledged_;
    }
    std::string snapshot() override { return std::to_string(applied) + "|" + state; }
    void restore(std::string_view s, ZabZxid zxid) override {
      const std::string text(s);
      const auto bar = text.find('|');
      applied = bar == std::string::npos ? 0 : std::stoul(text.substr(0, bar));
      state = bar == std::string::npos ? "" : text.substr(bar + 1);
      lab->witness.restored(sid, zxid);
    }
    void leads(ZabEpoch epoch) override { lab->witness.leads(sid, epoch); }
  };
  struct Event {
    ZabMs at;
    std::uint64_t order;
    std::function<void()> act;
    bool operator<(const Event& other) const { return std::tie(other.at, other.order) < std::tie(at, order); }
  };
  struct Link {
    Node* end[2] = {nullptr, nullptr};  // learner, leader
    std::uint32_t life[2] = {0, 0};
    ZabLink id[2] = {0, 0};
    ZabMs free_at[2] = {0, 0};
    bool open = true;
  };
  struct Held {
    Node *from, *to;
    std::function<void()> act;
  };

  std::uint64_t bits() { return mix(state_ += kGolden); }
  ZabMs between(ZabMs low, ZabMs high) {
    return low + static_cast<ZabMs>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  void push(ZabMs at, std::function<void()> act) { events_.push({at, ++order_, std::move(act)}); }

  void boot(Node& n);
  void crash(Node& n, bool power, ZabMs lasts);
  void reset_links(Node& n, bool dies = false);

  // Does `act` at `to`, unless the way there is cut then: in that case once it is whole again.
  void travel(Node& from, Node& to, ZabMs at, std::function<void()> act) {
    push(at, [this, &from, &to, act = std::move(act)]() mutable { arrive(from, to, std::move(act)); });
  }
  void arrive(Node& from, Node& to, std::function<void()> act);
  void flush_held();

  void after(Node& n);  // call it after each input
  void wake_in_time(Node& n);
  void tick(Node& n);
  void write_records(Node& n);
  static void write(ZabStored& disk, const ZabRecord& r);

  void perform(Node& n, ZabOutput& o);
  void note(const Node& n, const ZabOutput& o);
  void connect(Node& n, const ZabOutput& o);
  Link* find(const Node& n, ZabLink id, int& side);
  void send(Node& n, const ZabOutput& o);
  void close(Node& n, const ZabOutput& o);
  static ZabMessage wire(const ZabMessage& m);  // encodes and decodes, as a real connection does

  ZabLabOptions options_;
  std::uint64_t state_;
  ZabEnsemble ensemble_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Link>> links_;
  std::priority_queue<Event> events_;
  std::deque<Held> held_;
  std::uint64_t order_ = 0;
  ZabMs now_ = 0;
  std::uint64_t proposals_ = 0;
  std::size_t acknowledged_ = 0;
  std::size_t sent_[kZabMessageKinds] = {};
  std::vector<std::string>* lines_ = nullptr;
};

}  // namespace picklock::testing
