// Views of the servers of a service: the owner of a lock that each of them names, and the role in which it serves.
//
// A judge (grants.hpp) says who owns a lock according to the service as a whole.  Beside it stands what each of its
// servers would answer: a replica that lags, a server that has lost its data, three of five independent ones.  Pictures
// show it; the judgement of a run does without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/recording/grants.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

// Reason why a server names a hold no more.
struct NoLongerNamed {
  HoldId hold = kNoHold;
  HoldId by = kNoHold;  // the hold on whose behalf the command was sent, if a command did it
  GrantEnd cause = GrantEnd::unknown;
};

// A server names these holds from this instant on.
struct OwnersSeen {
  std::int64_t time = 0;
  NodeId node = 0;
  std::uint32_t lock = 0;  // place in the table of locks
  std::vector<HoldId> owners{};
  std::vector<NoLongerNamed> ended{};  // ends, if the service tells them
};

// A server serves in this role from this instant on.
struct ServerRole {
  std::int64_t time = 0;
  NodeId node = 0;
  std::string_view name{};  // "leader"
  bool leads = false;
};

struct ServersSeen {
  std::vector<NodeId> servers;  // servers that may name owners
  bool vote = false;            // true: the servers are independent, and more than half of them decide
  std::vector<OwnersSeen> owners;
  std::vector<ServerRole> roles;
};

// The views of one lock.  It reads records as a judge does, and says no grants.
class ServerViews : public GrantJudge {
 public:
  // `lock`: in the table of locks; `servers`: that may name owners.
  ServerViews(std::uint32_t lock, std::vector<NodeId> servers) : lock_(lock), servers_(std::move(servers)) {}

  void reset() final;
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& grants,
           std::uint32_t& index) final;
  bool wants(TraceKind kind) const final { return dies(kind) || reads(kind); }
  const std::vector<OwnersSeen>& changes() const { return changes_; }
  const std::vector<NodeId>& servers() const { return servers_; }

 protected:
  static bool dies(TraceKind kind) {
    return kind == trace::process_killed || kind == trace::process_panicked || kind == trace::power_lost;
  }

 private:
  virtual void forget() = 0;
  virtual bool reads(TraceKind kind) const = 0;
  virtual void look(const TraceRecord& record, const Provenance& by) = 0;
  // The server's memory is gone.
  virtual void dead(NodeId node) = 0;
  // Adds the reasons why holds are not named any more after the last record.
  virtual void add_ends(std::vector<NoLongerNamed>&) const {}
  virtual void add_owners(NodeId node, std::vector<HoldId>& owners) const = 0;

  const std::uint32_t lock_;
  const std::vector<NodeId> servers_;
  std::vector<std::vector<HoldId>> last_;  // index: place in servers_
  std::vector<OwnersSeen> changes_;
  std::vector<HoldId> now_;  // scratch
};

// Views of servers that apply the same numbered changes in the same order: whom one names follows from the number that
// it has come to.
class ReplicatedViews : public ServerViews {
 public:
  ReplicatedViews(std::uint32_t lock, std::vector<NodeId> servers, std::unique_ptr<GrantJudge> judge)
      : ServerViews(lock, std::move(servers)), judge_(std::move(judge)) {}
  HoldId hold_of(const TraceRecord& record) const final { return judge_->hold_of(record); }

 private:
  struct Version {
    std::int64_t number = 0;
    std::vector<HoldId> owners{};
  };
  // The number that this record brings a server to; none: it says nothing of that.
  virtual std::optional<std::int64_t> number_in(const TraceRecord& record) const = 0;

  void forget() final;
  bool reads(TraceKind kind) const final { return judge_->wants(kind); }
  void look(const TraceRecord& record, const Provenance& by) final;
  void dead(NodeId node) final { reached(node) = 0; }
  void add_owners(NodeId node, std::vector<HoldId>& owners) const final;
  std::int64_t& reached(NodeId node);

  std::unique_ptr<GrantJudge> judge_;
  std::vector<Version> versions_;      // ascending
  std::vector<std::int64_t> reached_;  // index: NodeId
  std::int64_t newest_ = 0;
  std::vector<HoldId> owners_;  // owners after the newest change
  std::vector<GrantEvent> grants_;
  std::uint32_t index_ = 0;
};

}  // namespace picklock
