// (the checker of store histories, and tests of the checker itself)
#include "sim/zookeeper/store_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

namespace picklock::testing {
namespace {

// Znodes below the root as a map, told by requests alone.
class StoreModel {
 public:
  struct Node {
    std::string data;
    std::int32_t version = 0;
    std::int64_t czxid = 0, mzxid = 0, owner = 0;
  };
  std::map<std::string, Node> nodes;
  std::int32_t creates = 0;
  std::vector<std::string> changed;  // paths that the last request changed

  ZooCode apply(const ZooRequest& r, std::int64_t session, std::int64_t zxid, std::string& path) {
    changed.clear();
    path = r.path;
    switch (r.op) {
      case ZooOp::create: {
        if (is_sequential(r.mode)) path += zoo_sequence_suffix(creates);
        if (nodes.contains(path)) return ZooCode::node_exists;
        nodes[path] = {r.data, 0, zxid, zxid, is_ephemeral(r.mode) ? session : 0};
        ++creates;
        changed.push_back(path);
        return ZooCode::ok;
      }
      case ZooOp::remove:
      case ZooOp::set_data:
      case ZooOp::check: {
        const auto found = nodes.find(r.path);
        if (found == nodes.end()) return ZooCode::no_node;
        if (r.version != kZooAnyVersion && r.version != found->second.version) return ZooCode::bad_version;
        if (r.op == ZooOp::check) return ZooCode::ok;
        changed.push_back(r.path);
        if (r.op == ZooOp::remove) {
          nodes.erase(found);
        } else {
          found->second.data = r.data;
          ++found->second.version;
          found->second.mzxid = zxid;
        }
        return ZooCode::ok;
      }
      case ZooOp::multi: {
        const auto before = *this;
        std::vector<std::string> all;
        for (const ZooCall& part : r.parts) {
          std::string ignored;
          const ZooCode code = apply(part, session, zxid, ignored);
          if (code != ZooCode::ok) {
            *this = before;
            return code;
          }
          all.insert(all.end(), changed.begin(), changed.end());
        }
        changed = std::move(all);
        return ZooCode::ok;
      }
      default:
        return ZooCode::ok;
    }
  }
  void end_session(std::int64_t session) {
    changed.clear();
    for (const auto& [path, node] : nodes) {
      if (node.owner == session) changed.push_back(path);
    }
    for (const std::string& path : changed) nodes.erase(path);
  }
  bool shows(const ZooRequest& r, const ZooReply& reply) const {
    if (r.op == ZooOp::get_children) {
      std::set<std::string> names;
      for (const auto& [path, node] : nodes) names.insert(path.substr(1));
      return reply.code == ZooCode::ok && names == std::set<std::string>(reply.children.begin(), reply.children.end());
    }
    const auto found = nodes.find(r.path);
    if (found == nodes.end()) return reply.code == ZooCode::no_node;
    const Node& n = found->second;
    if (reply.code != ZooCode::ok || (r.op == ZooOp::get_data && reply.data != n.data)) return false;
    return reply.stat.version == n.version && reply.stat.mzxid == n.mzxid && reply.stat.czxid == n.czxid &&
           reply.stat.ephemeral_owner == n.owner;
  }
};

bool reads(ZooOp op) { return op == ZooOp::exists || op == ZooOp::get_data || op == ZooOp::get_children; }

bool refused_for_its_session(const ZooTxn& txn) {
  return txn.kind == ZooTxn::Kind::error &&
         (txn.code == ZooCode::session_expired || txn.code == ZooCode::session_moved);
}

class StoreSweep {
 public:
  StoreSweep(const std::vector<ZooJudge::Transaction>& transactions, const StoreHistory& history)
      : transactions_(transactions), history_(history) {}

  StoreFindings run() {
    index();
    sweep();
    order_in_sessions();
    real_time();
    watches();
    return std::move(findings_);
  }

 private:
  void wrong(std::string what) { findings_.wrong.push_back(std::move(what)); }
  static std::string text(const StoreOp& op) {
    return op.request.to_string() + (op.answered ? " -> " + op.reply.to_string() : " -> ?");
  }

  void index() {
    for (std::size_t i = 0; i < history_.ops.size(); ++i) {
      const StoreOp& op = history_.ops[i];
      if (is_write(op.request.op)) by_request_[{op.session, op.request.xid}] = i;
      if (!op.answered) {
        ++findings_.unknown;
      } else if (reads(op.request.op)) {
        reads_.push_back(i);
      }
    }
    std::stable_sort(reads_.begin(), reads_.end(), [this](std::size_t a, std::size_t b) {
      return history_.ops[a].reply.zxid < history_.ops[b].reply.zxid;
    });
    zxid_of_.assign(history_.ops.size(), 0);
  }

  void sweep() {
    std::size_t next_read = 0;
    const auto check_reads_below = [&](std::int64_t zxid) {
      for (; next_read < reads_.size() && history_.ops[reads_[next_read]].reply.zxid < zxid; ++next_read) {
        const StoreOp& op = history_.ops[reads_[next_read]];
        ++findings_.reads;
        if (!model_.shows(op.request, op.reply)) wrong("not the state of its zxid: " + text(op));
      }
    };
    for (const ZooJudge::Transaction& t : transactions_) {
      check_reads_below(t.zxid);
      if (t.txn.kind == ZooTxn::Kind::close_session) {
        model_.end_session(t.txn.session);
        note_changes(t.zxid);
      }
      if (t.xid != 0) request_at(t);
    }
    check_reads_below(INT64_MAX);
    for (std::size_t i = 0; i < history_.ops.size(); ++i) {
      const StoreOp& op = history_.ops[i];
      if (op.answered && is_write(op.request.op) && zxid_of_[i] == 0) wrong("answered, and never applied: " + text(op));
    }
  }
  void note_changes(std::int64_t zxid) {
    for (const std::string& path : model_.changed) changes_[path].push_back(zxid);
  }
  void request_at(const ZooJudge::Transaction& t) {
    const auto found = by_request_.find({t.session, t.xid});
    if (found == by_request_.end()) return wrong("no client asked for what was applied at " + zab_text(t.zxid));
    const StoreOp& op = history_.ops[found->second];
    if (std::exchange(zxid_of_[found->second], t.zxid) != 0) return wrong("applied twice: " + text(op));
    if (op.request.op == ZooOp::close_session) return;
    const bool of_session = refused_for_its_session(t.txn);
    std::string path = op.request.path;
    ZooCode code = t.txn.code;
    if (!of_session) {
      code = model_.apply(op.request, op.session, t.zxid, path);
      if (code == ZooCode::ok) note_changes(t.zxid);
    }
    if (!op.answered) return;
    ++findings_.writes;
    if (code != ZooCode::ok) ++findings_.refused;
    if (op.reply.zxid != t.zxid) wrong("answered with another zxid than " + zab_text(t.zxid) + ": " + text(op));
    if (op.reply.code != code) wrong("should be " + std::string(to_string(code)) + ": " + text(op));
    if (code == ZooCode::ok && op.request.op == ZooOp::create && op.reply.path != path)
      wrong("not " + path + ": " + text(op));
  }

  void order_in_sessions() {
    std::map<std::int64_t, std::int32_t> last_applied;
    for (const ZooJudge::Transaction& t : transactions_) {
      if (t.xid == 0 || refused_for_its_session(t.txn)) continue;  // a straggler may be refused at any time
      std::int32_t& last = last_applied[t.session];
      if (t.xid <= last) wrong("out of the order of its session, at " + zab_text(t.zxid));
      last = t.xid;
    }
    std::map<std::int64_t, std::int64_t> last_seen;
    for (const StoreSight& s : history_.sights) {
      if (s.op == StoreSight::kEvent) continue;
      const StoreOp& op = history_.ops[s.op];
      std::int64_t& last = last_seen[op.session];
      if (op.reply.zxid < last) wrong("older than what the session had seen, " + zab_text(last) + ": " + text(op));
      last = std::max(last, op.reply.zxid);
    }
  }

  void real_time() {
    // No write was sent after another one with a larger zxid had been answered.
    std::vector<std::size_t> writes;
    for (std::size_t i = 0; i < zxid_of_.size(); ++i) {
      if (zxid_of_[i] != 0) writes.push_back(i);
    }
    std::sort(writes.begin(), writes.end(), [this](std::size_t a, std::size_t b) { return zxid_of_[a] < zxid_of_[b]; });
    TrueTime latest_sent;
    for (const std::size_t i : writes) {
      const StoreOp& op = history_.ops[i];
      if (op.answered && op.replied < latest_sent) wrong("answered before one of a smaller zxid was sent: " + text(op));
      latest_sent = std::max(latest_sent, op.invoked);
    }
    // Against what had been answered when it was sent: reads may be old, syncs should not.
    std::sort(writes.begin(), writes.end(),
              [this](std::size_t a, std::size_t b) { return history_.ops[a].replied < history_.ops[b].replied; });
    std::vector<std::size_t> by_time;
    for (std::size_t i = 0; i < history_.ops.size(); ++i) {
      const StoreOp& op = history_.ops[i];
      if (op.answered && (reads(op.request.op) || op.request.op == ZooOp::sync)) by_time.push_back(i);
    }
    std::sort(by_time.begin(), by_time.end(),
              [this](std::size_t a, std::size_t b) { return history_.ops[a].invoked < history_.ops[b].invoked; });
    std::int64_t answered_zxid = 0;
    std::size_t w = 0;
    for (const std::size_t i : by_time) {
      const StoreOp& op = history_.ops[i];
      for (; w < writes.size(); ++w) {
        const StoreOp& write = history_.ops[writes[w]];
        if (!write.answered) continue;
        if (write.replied >= op.invoked) break;
        answered_zxid = std::max(answered_zxid, zxid_of_[writes[w]]);
      }
      const bool old = op.reply.zxid < answered_zxid;
      if (op.request.op == ZooOp::sync) {
        ++findings_.syncs;
        if (old) ++findings_.sync_holes;
        // One and the same leader knows what it has committed.
        if (old && zab_epoch(op.reply.zxid) == zab_epoch(answered_zxid)) {
          wrong("misses " + zab_text(answered_zxid) + " of its own leader: " + text(op));
        }
      } else if (old) {
        ++findings_.stale_reads;
      }
    }
  }

  void watches() {
    struct Left {
      std::size_t connection;
      std::string path;
      std::int64_t zxid;
    };
    std::vector<Left> left;
    for (const StoreSight& s : history_.sights) {
      if (s.op == StoreSight::kEvent) {
        ++findings_.events;
        const auto gone =
            std::erase_if(left, [&](const Left& l) { return l.connection == s.connection && l.path == s.path; });
        if (gone == 0) wrong("an event of " + s.path + " that no watch waits for");
        continue;
      }
      const StoreOp& op = history_.ops[s.op];
      for (const Left& l : left) {
        if (l.connection != s.connection) continue;
        const std::vector<std::int64_t>& changes = changes_[l.path];
        const auto next = std::upper_bound(changes.begin(), changes.end(), l.zxid);
        if (next != changes.end() && *next <= op.reply.zxid) wrong("no event of " + l.path + " before " + text(op));
      }
      if (!op.request.watch || op.request.op == ZooOp::get_children) continue;
      if (op.reply.code == ZooCode::ok || op.request.op == ZooOp::exists)
        left.push_back({s.connection, op.request.path, op.reply.zxid});
    }
  }

  const std::vector<ZooJudge::Transaction>& transactions_;
  const StoreHistory& history_;
  StoreFindings findings_;
  StoreModel model_;
  std::map<std::pair<std::int64_t, std::int32_t>, std::size_t> by_request_;
  std::vector<std::size_t> reads_;
  std::vector<std::int64_t> zxid_of_;
  std::map<std::string, std::vector<std::int64_t>> changes_;
};

}  // namespace

StoreFindings check_store(const std::vector<ZooJudge::Transaction>& transactions, const StoreHistory& history) {
  return StoreSweep(transactions, history).run();
}

namespace {

// A history of one write and one read, and what a checker must say when one thing in it is wrong.
struct Sample {
  std::vector<ZooJudge::Transaction> transactions;
  StoreHistory history;
  Sample() {
    ZooJudge::Transaction t;
    t.zxid = zab_zxid(1, 1);
    t.session = 7;
    t.xid = 1;
    t.txn.kind = ZooTxn::Kind::create;
    transactions.push_back(t);
    StoreOp create;
    create.session = 7;
    create.request.op = ZooOp::create;
    create.request.xid = 1;
    create.request.path = "/a";
    create.request.data = "x";
    create.answered = true;
    create.invoked = TrueTime{10};
    create.replied = TrueTime{20};
    create.reply.zxid = t.zxid;
    create.reply.path = "/a";
    StoreOp read = create;
    read.request.op = ZooOp::get_data;
    read.request.xid = 2;
    read.invoked = TrueTime{30};
    read.replied = TrueTime{40};
    read.reply.data = "x";
    read.reply.stat.czxid = read.reply.stat.mzxid = t.zxid;
    history.ops = {create, read};
    history.sights = {{0, 0, ""}, {0, 1, ""}};
  }
  std::size_t complaints() const { return check_store(transactions, history).wrong.size(); }
};

TEST(ZooStoreChecker, AcceptsWhatIsRightAndNothingElse) {
  EXPECT_EQ(Sample().complaints(), 0u);
  Sample lost;
  lost.transactions.clear();
  EXPECT_GT(lost.complaints(), 0u);
  Sample other_data;
  other_data.history.ops[1].reply.data = "y";
  EXPECT_EQ(other_data.complaints(), 1u);
  Sample too_old;
  too_old.history.ops[1].reply.zxid = 0;
  EXPECT_GT(too_old.complaints(), 0u);
  Sample twice;
  twice.transactions.push_back(twice.transactions[0]);
  twice.transactions[1].zxid += 1;
  EXPECT_GT(twice.complaints(), 0u);
  Sample phantom;
  phantom.history.ops.erase(phantom.history.ops.begin());
  phantom.history.sights = {{0, 0, ""}};
  EXPECT_GT(phantom.complaints(), 0u);
}

}  // namespace
}  // namespace picklock::testing
