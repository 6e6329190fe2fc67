// One peer, message by message: testdata/*.txt holds what it is told, and below "----" what it does.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the answers anew; read them before they are committed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {
namespace {

ZabZxid zxid_in(const std::string& text) {
  const auto colon = text.find(':');
  return zab_zxid(std::stoll(text.substr(0, colon)), std::stoll(text.substr(colon + 1)));
}

// "received 1 proposal 2:7 x" and its like; the other end is the script's business.
class PeerScript final : public ZabMachine {
 public:
  std::string execute(const std::string& line) {
    out_.str("");
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "peer") {
      begin(words);
    } else if (verb == "boot") {
      boot(words);
    } else if (verb == "at") {
      words >> now_;
      peer_->tick(now_);
    } else if (verb == "heard") {
      heard(words);
    } else if (verb == "accept") {
      out_ << "link " << peer_->accept() << "\n";
    } else if (verb == "opened" || verb == "closed") {
      ZabLink link = 0;
      words >> link;
      verb == "opened" ? peer_->opened(link, now_) : peer_->closed(link, now_);
    } else if (verb == "received") {
      received(words);
    } else if (verb == "persisted") {
      peer_->persisted(records_, now_);
    } else if (verb == "propose") {
      std::string txn;
      words >> txn;
      const ZabZxid zxid = peer_->propose(txn, now_);
      out_ << (zxid != 0 ? zab_text(zxid) : "refused") << "\n";
      peer_->tick(now_);
    } else {
      out_ << "?\n";
    }
    if (peer_) tell();
    return out_.str();
  }

 private:
  void begin(std::istringstream& words) {
    ZabEnsemble ensemble;
    ZabSid voters = 0, self = 0;
    std::string word;
    options_ = {};
    options_.tick = 2000;
    words >> self >> word >> voters;
    for (ZabSid s = 1; s <= voters; ++s) ensemble.members.push_back({s, false});
    while (words >> word) {
      if (word == "observer") ensemble.members.push_back({voters + 1, true});
      if (word == "kept") words >> options_.committed_log;
      if (word == "snapshot") words >> options_.snapshot_every;
      if (word == "last") words >> options_.last_counter;
    }
    now_ = 0;
    records_ = 0;
    state_.clear();
    peer_ = std::make_unique<ZabPeer>(ensemble, self, options_, *this);
  }
  void boot(std::istringstream& words) {
    ZabStored stored;
    std::string word;
    while (words >> word) {
      if (word == "accepted") {
        words >> stored.accepted;
      } else if (word == "current") {
        words >> stored.current;
      } else if (word == "snapshot") {
        words >> word;
        stored.snapshot_zxid = zxid_in(word);
        stored.snapshot = "as of " + word;
      } else {
        stored.log.push_back({zxid_in(word), "t" + word});
      }
    }
    peer_->boot(std::move(stored), now_);
  }
  void heard(std::istringstream& words) {  // heard 3 looking for 3 at 1:2 epoch 1 round 1
    ZabMessage n;
    std::string role, word, zxid;
    words >> n.sid >> role >> word >> n.leader >> word >> zxid >> word >> n.epoch >> word >> n.round;
    for (const ZabRole r : {ZabRole::looking, ZabRole::following, ZabRole::leading, ZabRole::observing}) {
      if (to_string(r) == role) n.role = r;
    }
    n.zxid = zxid_in(zxid);
    peer_->heard(n, now_);
  }
  void received(std::istringstream& words) {
    ZabLink link = 0;
    std::string kind, word;
    words >> link >> kind;
    ZabMessage m;
    for (std::size_t k = 0; k < kZabMessageKinds; ++k) {
      if (to_string(static_cast<ZabMessage::Kind>(k)) == kind) m.kind = static_cast<ZabMessage::Kind>(k);
    }
    while (words >> word) {
      if (word == "epoch") {
        words >> m.epoch;
      } else if (word == "from") {
        words >> m.sid;
      } else if (word.find(':') != std::string::npos) {
        m.zxid = zxid_in(word);
      } else {
        m.body = word;
      }
    }
    peer_->received(link, m, now_);
  }
  void tell() {
    for (const ZabRecord& r : peer_->records()) {
      ++records_;
      constexpr const char* kNames[] = {"accepted epoch", "current epoch", "append", "truncate to", "snapshot"};
      out_ << "disk: " << kNames[static_cast<std::size_t>(r.kind)];
      if (r.epoch != 0) out_ << " " << r.epoch;
      if (r.entry.zxid != 0) out_ << " " << zab_text(r.entry.zxid);
      for (const ZabEntry& e : r.log) out_ << " [" << zab_text(e.zxid) << "]";
      out_ << "\n";
    }
    peer_->records().clear();
    for (const ZabOutput& o : peer_->outputs()) {
      switch (o.kind) {
        case ZabOutput::Kind::notify:
          out_ << "to " << o.to << ": " << to_string(o.message) << "\n";
          break;
        case ZabOutput::Kind::connect:
          out_ << "connect " << o.link << " to " << o.to << "\n";
          break;
        case ZabOutput::Kind::send:
          out_ << "on " << o.link << ": " << to_string(o.message) << "\n";
          break;
        case ZabOutput::Kind::close:
          out_ << "close " << o.link << "\n";
          break;
      }
    }
    peer_->outputs().clear();
  }

  void apply(const ZabEntry& e) override {
    state_ += "+" + std::string(e.txn);
    out_ << "apply " << zab_text(e.zxid) << "\n";
  }
  std::string snapshot() override { return state_; }
  void restore(std::string_view s, ZabZxid zxid) override {
    state_ = std::string(s);
    if (zxid != 0) out_ << "restore " << zab_text(zxid) << "\n";
  }
  void leads(ZabEpoch epoch) override { out_ << "leads epoch " << epoch << "\n"; }
  void follows(ZabSid leader) override { out_ << "follows " << leader << "\n"; }
  void steps_back() override { out_ << "steps back\n"; }
  void from_learner(ZabSid sid, ZabLink, std::string_view body) override {
    out_ << "learner " << sid << " asks " << body << "\n";
  }
  void from_leader(std::string_view body) override { out_ << "leader says " << body << "\n"; }
  void synced(std::string_view body) override { out_ << "synced " << body << "\n"; }
  std::string touched() override { return "touches"; }
  void heard_touches(ZabSid sid, std::string_view body) override { out_ << "learner " << sid << " " << body << "\n"; }

  std::ostringstream out_;
  ZabOptions options_;
  std::unique_ptr<ZabPeer> peer_;
  ZabMs now_ = 0;
  ZabPosition records_ = 0;
  std::string state_;
};

class ZabPeerData : public ::testing::TestWithParam<const char*> {};

TEST_P(ZabPeerData, DoesWhatIsWritten) {
  const std::string name = PICKLOCK_SOURCE_DIR "/sim/zookeeper/zab/testdata/" + std::string(GetParam()) + ".txt";
  std::ifstream in(name);
  ASSERT_TRUE(in) << name;
  PeerScript script;
  std::string now, line, written, expected;
  const bool rewrite = std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr;
  for (bool answer = false; std::getline(in, line);) {
    written += line + "\n";
    if (line.empty()) answer = false;
    if (answer) continue;  // an old answer
    now += line + "\n";
    if (line.empty() || line[0] == '#') continue;
    std::string did;
    do {
      did += script.execute(line);
    } while (std::getline(in, line) && line != "----" && (written += line + "\n", now += line + "\n", true));
    written += "----\n";
    now += "----\n" + did;
    answer = true;
  }
  if (rewrite) {
    std::ofstream(name) << now;
  } else {
    EXPECT_EQ(now, written);
  }
}
INSTANTIATE_TEST_SUITE_P(Files, ZabPeerData, ::testing::Values("election", "follower", "leader"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace picklock
