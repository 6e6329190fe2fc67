// For tests that tell one story of several locks on ZooKeeper: a world for clients of any of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock::testing {

// Options that all locks have: sets these.
struct CommonLockOptions {
  Duration session = seconds(10);
  std::size_t reaction = 0;  // ignores, stops when in doubt, stops when it is certain

  void operator()(const FieldInfo& f, Duration& d) {
    if (f.name == "session") d = session;
  }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    if (f.name == "reaction") choice.index = reaction;
  }
  void operator()(const FieldInfo&, std::string&) {}
};

// Clients of any one lock.
class AnyLockLab : public ZooLockLab {
 public:
  explicit AnyLockLab(std::string_view kind, Client::SetOptions set = {}, std::uint64_t seed = 1)
      : ZooLockLab(seed), kind_(kind), set_(std::move(set)) {}
  Process& process(std::string_view name) {
    const bool go = kind_.starts_with("go-zookeeper");
    return ZooLockLab::process(name, go ? go_zookeeper_options() : ZooClientOptions());
  }
  Client& client(std::string_view name, const Client::SetContext& context = {}) {
    return thread(process(name), 1, context);
  }
  Client& thread(Process& p, std::uint32_t number, const Client::SetContext& context = {}) {
    return add(
        p, number, kind_,
        [this](Options& options) {
          visit_fields(options, common);
          if (set_) set_(options);
        },
        context);
  }
  // Name of the task in which a client waits for its turn.
  std::string_view waiting_task() const {
    return kind_ == "go-zookeeper-lock" ? "lock" : kind_ == "go-zookeeper-channel-lock" ? "watch" : "client";
  }
  // The nodes that some session owns.
  std::vector<std::string> owned() const {
    std::vector<std::string> paths;
    for (const ZooTree::Node* const node : server.tree.nodes()) {
      if (node->owner != 0) paths.push_back(node->path.text());
    }
    return paths;
  }

  // Its next create that makes a node of its own takes effect, and its answer comes 8 s later.
  void lose_the_answer(Client& a, std::uint32_t create) {
    enter_and_leave(a);
    EXPECT_TRUE(a.gave_back());
    before(
        a, mark::zoo_create, [&] { a.process.deafen(); }, create);
    acquire(a);
    EXPECT_EQ(owned().size(), 1U);
    EXPECT_FALSE(a.acquired);
    pass(seconds(7));
    a.process.repair();
    pass(seconds(90));
  }

  CommonLockOptions common;

 private:
  std::string_view kind_;
  Client::SetOptions set_;
};

}  // namespace picklock::testing
