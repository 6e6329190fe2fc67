// The last phase of a run: a fresh client tests that each lock is free, and reads what it protects.
#pragma once

#include <memory>
#include <vector>

#include "scenarios/workloads/client_process.hpp"

namespace picklock {

// After healing and settling: one fresh client acquires each lock and reads what it protects.
class Probe final : public Program {
 public:
  void look_at(const LockTable& locks);  // locks to read in every run; call it before the first
  void prepare(RunState& run, std::int32_t process, Connections connections, Duration patience);
  void boot(World& world, NodeId node) override;
  bool done() const { return done_; }

 private:
  static Task<void> main(Host host, Probe* self);
  static Task<void> probe(Host host, Probe* self, std::uint32_t number);

  ClientProcess process_state_;
  std::vector<LockUse> uses_;
  std::vector<std::unique_ptr<Lock>> locks_;
  std::int32_t process_ = 0;
  Duration patience_;
  bool done_ = false;
};

}  // namespace picklock
