// Raft by files: testdata/*.txt hold commands and what follows from them, as a reader would tell it.
//
//   members N [option …]   a cluster of N, all first booted: no-pre-vote, no-check-quorum, entries=1,
//                          flaw=commits-old-term
//   campaign ID            as if its election timeout had passed
//   tick ID [N]            N ticks
//   propose ID WORD        proposes WORD
//   read ID N              asks for a linearizable read, number N
//   deliver [ID …]         delivers what is under way to these (default: all), and what follows from it, until
//                          nothing is left
//   drop ID                loses all that is under way from or to it
//   stall ID, sync ID      its disk stands still; goes on, with all that was written meanwhile
//   kill ID, power ID      its process dies; and what is not on its disk is lost as well
//   boot ID                it starts again
//   compact ID KEEP        a snapshot of all it has applied; KEEP entries remain in the log
//   show                   every member: role, term, vote, leader, log, what is committed
//
// PICKLOCK_REWRITE_GOLDEN=1 fills in the answers, which are to be read in review.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/etcd/raft/raft_lab.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;
using testing::RaftCluster;

std::string text_of(const RaftData& data) { return data.empty() ? "-" : std::string(data); }

std::string show(const RaftMessage& m) {
  std::string line = std::to_string(m.from) + "->" + std::to_string(m.to) + " " + std::string(to_string(m.kind)) +
                     " term=" + std::to_string(m.term);
  const auto add = [&line](const char* name, std::uint64_t n) {
    if (n != 0) line += std::string(" ") + name + "=" + std::to_string(n);
  };
  add("index", m.index);
  add("log-term", m.log_term);
  add("commit", m.commit);
  add("hint", m.hint);
  add("context", m.context);
  if (m.reject) line += " rejected";
  for (const RaftEntry& e : m.entries) {
    line += " " + std::to_string(e.term) + "/" + std::to_string(e.index) + ":" + text_of(e.data);
  }
  if (m.kind == RaftMessage::Kind::propose) line += " " + std::string(m.data);
  return line;
}

class Script {
 public:
  std::string run(const std::string& line) {
    std::istringstream in(line);
    std::string command;
    in >> command;
    out_.clear();
    RaftId id = 0;
    if (command == "members") {
      begin(in);
    } else if (command == "show") {
      for (RaftId i = 1; i <= options_.members; ++i) show_member(i);
    } else if (command == "deliver") {
      std::set<RaftId> to;
      while (in >> id) to.insert(id);
      deliver(to);
    } else {
      in >> id;
      act(command, id, in);
      report(id);
    }
    if (!cluster_->broken.empty()) out_ += "BROKEN: " + cluster_->broken + "\n";
    return out_.empty() ? "ok\n" : out_;
  }

 private:
  void begin(std::istream& in) {
    options_ = {};
    RaftFlaw flaw = RaftFlaw::none;
    in >> options_.members;
    for (std::string option; in >> option;) {
      if (option == "no-pre-vote") options_.pre_vote = false;
      if (option == "no-check-quorum") options_.check_quorum = false;
      if (option.starts_with("entries=")) options_.most_entries = std::stoul(option.substr(8));
      if (option.starts_with("flaw=")) {
        for (std::size_t f = 0; f < kRaftFlaws; ++f) {
          if (to_string(static_cast<RaftFlaw>(f)) == option.substr(5)) flaw = static_cast<RaftFlaw>(f);
        }
      }
    }
    cluster_ = std::make_unique<RaftCluster>(options_, flaw, [](std::uint32_t) { return 0u; });
    told_.assign(options_.members + 1, {});
  }
  void act(const std::string& command, RaftId id, std::istream& in) {
    std::string word;
    std::uint64_t n = 1;
    RaftCluster& c = *cluster_;
    if (command == "campaign") {
      c.raft(id).campaign();
      c.settle_outputs(id);
    } else if (command == "tick") {
      in >> n;
      if (n == 0) n = 1;
      for (std::uint64_t t = 0; t < n; ++t) c.tick(id);
    } else if (command == "propose") {
      in >> word;
      if (!c.raft(id).propose(word)) out_ += "dropped: no leader is known\n";
      c.settle_outputs(id);
    } else if (command == "read") {
      in >> n;
      if (!c.raft(id).read(n)) out_ += "dropped: no leader is known\n";
      c.settle_outputs(id);
    } else if (command == "drop") {
      for (std::size_t k = 0; k < c.wire.size();) {
        if (c.wire[k].from == id || c.wire[k].to == id) {
          c.lose(k);
        } else {
          ++k;
        }
      }
    } else if (command == "stall") {
      c.member(id).write_behind = true;
    } else if (command == "sync") {
      c.member(id).write_behind = false;
      while (!c.member(id).written.empty()) c.sync(id);
    } else if (command == "kill" || command == "power") {
      if (command == "power") c.member(id).disk.records.resize(c.member(id).disk.durable);
      c.crash(id, false);
      told_[id] = {};
    } else if (command == "boot") {
      c.boot(id);
    } else if (command == "compact") {
      in >> n;
      c.compact(id, n);
    } else {
      out_ += "unknown command\n";
    }
  }
  void deliver(const std::set<RaftId>& to) {
    RaftCluster& c = *cluster_;
    for (std::size_t k = 0; k < c.wire.size();) {
      const RaftMessage m = c.wire[k];
      if (!to.empty() && to.count(m.to) == 0) {
        ++k;
        continue;
      }
      out_ += show(m) + (c.up(m.to) ? "" : "  (down)") + "\n";
      c.deliver(k);
      report(m.to);
      k = 0;
    }
  }
  // Prints the changes at a member.
  void report(RaftId id) {
    if (id == 0 || !cluster_->up(id)) return;
    const Raft& r = cluster_->raft(id);
    Told& told = told_[id];
    const std::string now = std::string(to_string(r.role())) + " of term " + std::to_string(r.term());
    if (now != told.role) out_ += "  " + std::to_string(id) + " is " + now + "\n";
    told.role = now;
    const std::vector<RaftEntry>& applied = cluster_->member(id).applied;
    for (; told.applied < applied.size(); ++told.applied) {
      const RaftEntry& e = applied[told.applied];
      out_ += "  " + std::to_string(id) + " applies " + std::to_string(e.term) + "/" +
              std::to_string(told.applied + 1) + ":" + text_of(e.data) + "\n";
    }
    for (const RaftRead& read : std::exchange(cluster_->member(id).reads, {})) {
      out_ += "  " + std::to_string(id) + " may answer read " + std::to_string(read.context) + " at " +
              std::to_string(read.index) + "\n";
    }
  }
  void show_member(RaftId id) {
    out_ += std::to_string(id) + ": ";
    if (!cluster_->up(id)) {
      out_ += "down\n";
      return;
    }
    const Raft& r = cluster_->raft(id);
    out_ += std::string(to_string(r.role())) + " term=" + std::to_string(r.term()) +
            " vote=" + std::to_string(r.vote()) + " leader=" + std::to_string(r.leader()) +
            " committed=" + std::to_string(r.committed()) + " log=";
    for (RaftIndex i = r.log().first_index(); i <= r.log().last_index(); ++i) {
      const RaftEntry& e = r.log().at(i);
      out_ += (i == r.log().first_index() ? "" : " ") + std::to_string(e.term) + "/" + std::to_string(i) + ":" +
              text_of(e.data);
    }
    out_ += "\n";
  }

  struct Told {
    std::string role = "follower of term 0";
    std::size_t applied = 0;
  };
  RaftOptions options_;
  std::unique_ptr<RaftCluster> cluster_;
  std::vector<Told> told_;
  std::string out_;
};

// Lines "> command", each followed by its answer; other lines and empty ones are comments.
std::string replay(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  Script script;
  bool answer = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("> ")) {
      out += line + "\n" + script.run(line.substr(2));
      answer = true;
    } else if (line.empty() || line.starts_with("#")) {
      out += line + "\n";
      answer = false;
    } else if (!answer) {
      out += line + "\n";
    }
  }
  return out;
}

TEST(RaftText, FilesSayWhatHappens) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / "sim/etcd/raft/testdata")) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string now = replay(text.str());
    if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) std::ofstream(entry.path()) << now;
    EXPECT_EQ(now, std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr ? now : text.str()) << entry.path();
  }
  EXPECT_GE(files, 6u);
}

}  // namespace
}  // namespace picklock
