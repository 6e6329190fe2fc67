#include "scenarios/workloads/probe.hpp"

#include "scenarios/workloads/client_recorder.hpp"

namespace picklock {

void Probe::look_at(const LockTable& locks) {
  for (std::uint32_t i = 0; i < locks.names.size(); ++i) {
    uses_.push_back({{locks.names[i]}, {i}, i, Sharing::exclusive});
  }
}

void Probe::prepare(RunState& run, std::int32_t process, Connections connections, Duration patience) {
  locks_.clear();
  done_ = false;
  process_state_.prepare(run, std::move(connections));
  process_ = process;
  patience_ = patience;
}

void Probe::boot(World& world, NodeId node) {
  locks_.clear();
  process_state_.boot(world, node);
  for (const LockUse& use : uses_) locks_.push_back(process_state_.make_lock(world.host(node), use, 1));
  world.tasks.start(node, "main", main(world.host(node), this));
}

Task<void> Probe::main(Host host, Probe* self) {
  for (std::uint32_t i = 0; i < self->uses_.size(); ++i) co_await probe(host, self, i);
  self->done_ = true;
  self->process_state_.run->world->stop();
}

Task<void> Probe::probe(Host host, Probe* self, std::uint32_t number) {
  RunState& run = *self->process_state_.run;
  const LockUse& use = self->uses_[number];
  Lock& lock = *self->locks_[number];
  const ClientRecorder record{run, host.node(), self->process_};
  const std::uint32_t first_operation = 3 * number;
  const std::uint32_t hold_id = record.new_hold(use);
  run.world->tasks.begin_operation(first_operation + 1, hold_id);
  record.operation(hold_id, Function::acquire, OperationEnd::invoked);
  auto acquired = co_await lock.acquire(Patience::lasting(host, self->patience_));
  Fence fence;
  if (acquired.yes()) {
    record.belief(use, hold_id);
    fence.token = acquired.value().token;
  }
  record.operation(hold_id, Function::acquire, end_of(acquired.yes(), acquired.unknown()), kNoValue, fence.token);
  const Stores stores = self->process_state_.stores();
  run.world->tasks.begin_operation(first_operation + 2, hold_id);
  const ResourceId first_resource = number * run.resources;
  for (ResourceId r = first_resource; r < first_resource + run.resources; ++r) {
    // The resource is clear if there is one lock alone.
    const ResourceId named = run.locks->names.size() > 1 ? r + 1 : 0;
    record.operation(hold_id, Function::final_read, OperationEnd::invoked, kNoValue, {}, named);
    const auto found = co_await run.workload->look(host, stores, r, fence);
    const std::int64_t value = found.yes() ? found.value().number() : kNoValue;
    record.operation(hold_id, Function::final_read, end_of(found.yes(), found.unknown()), value, {}, named);
  }
  if (acquired.yes()) {
    run.world->tasks.begin_operation(first_operation + 3, hold_id);
    record.belief_ends(use, hold_id, BeliefEnd::released, run.world->now());
    record.operation(hold_id, Function::release, OperationEnd::invoked);
    Hold hold = std::move(acquired.value());
    const auto released = co_await lock.release(std::move(hold));
    record.operation(hold_id, Function::release, end_of(released.yes(), released.unknown()));
  }
}

}  // namespace picklock
