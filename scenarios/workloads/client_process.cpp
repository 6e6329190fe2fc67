#include "scenarios/workloads/client_process.hpp"

namespace picklock {

void ClientProcess::prepare(RunState& state, Connections to) {
  run = &state;
  forget();
  connections = std::move(to);
}

void ClientProcess::boot(World& world, NodeId node) {
  forget();
  connections.service->boot(world, node);
}

std::unique_ptr<Lock> ClientProcess::make_lock(const Host& host, const LockUse& use, std::uint32_t thread) {
  LockContext context{host, use.names.front()};
  connections.service->give(context.reach);
  context.process = &locals;
  context.thread = thread;
  if (use.several()) context.names = use.names;
  context.sharing = use.sharing;
  context.failure = &run->lock_failure;
  return run->lock_kind->make(context, *run->lock_options);
}

Stores ClientProcess::stores() {
  Stores all{Storage(*connections.storage)};
  connections.service->give(all.reach);
  all.process = &locals;
  return all;
}

}  // namespace picklock
