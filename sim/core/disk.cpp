#include "sim/core/disk.hpp"

#include <algorithm>

#include "sim/core/world.hpp"

namespace picklock {

void Disk::reset() {
  for (File& f : files_) f.used = false;
  write_latency = Law::uniform(microseconds(5), microseconds(20));
  sync_latency = Law::uniform(microseconds(200), milliseconds(2));
  slowdown = Law();
}

FileId Disk::open(std::string_view name) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].used && files_[i].name == name) return static_cast<FileId>(i);
  }
  auto spare = std::find_if(files_.begin(), files_.end(), [](const File& f) { return !f.used; });
  if (spare == files_.end()) spare = files_.emplace(files_.end());
  spare->name.assign(name);
  spare->cached.clear();
  spare->old.clear();
  spare->durable = 0;
  spare->replaced = false;
  spare->replacements = 0;
  spare->used = true;
  return static_cast<FileId>(spare - files_.begin());
}

void Disk::replace(FileId f, std::string_view bytes) {
  File& file = files_[f];
  if (!file.replaced) {
    file.old.assign(file.cached, 0, file.durable);
    file.replaced = true;
  }
  ++file.replacements;
  file.cached.assign(bytes);
  file.durable = 0;
}

void Disk::finish_sync(FileId f, const Sync& sync) {
  File& file = files_[f];
  if (sync.replacements != file.replacements) return;
  file.durable = std::max(file.durable, sync.bytes);
  file.replaced = false;
  file.old.clear();
}

void Disk::lose_power() {
  for (File& f : files_) {
    if (!f.used) continue;
    if (f.replaced) {
      f.cached.swap(f.old);
      f.durable = f.cached.size();
      f.replaced = false;
      f.old.clear();
    } else {
      f.cached.resize(f.durable);
    }
  }
}

std::uint64_t Disk::fingerprint() const {
  std::uint64_t h = mix(mix(hash_of(write_latency), hash_of(sync_latency)), hash_of(slowdown));
  for (const File& f : files_) {
    if (!f.used) continue;
    h += mix(hash_of(f.name), mix(hash_bytes(f.cached), f.durable) ^ (f.replaced ? hash_bytes(f.old) : 0));
  }
  return h;
}

namespace {

Duration latency(World& world, NodeId node, Purpose purpose, const Law& law, const Law& slowdown) {
  const Duration own{world.tasks.draw(node, purpose, law)};
  const bool usual = slowdown.kind() == Law::Kind::constant && slowdown.low() == 0;
  return usual ? own : own + Duration{world.tasks.draw(node, Purpose::fault, slowdown)};
}

}  // namespace

void DiskWrite::await_suspend(std::coroutine_handle<> me) {
  const NodeId node = host_.node();
  const Disk& disk = world_.nodes.disk(node);
  const Duration d = latency(world_, node, Purpose::disk_write, disk.write_latency, disk.slowdown);
  wait_.set(world_.tasks, world_.tasks.wait_until(node, me, world_.tasks.monotonic_now(node) + d, "disk write"));
}

void DiskWrite::await_resume() {
  world_.trace.cover(static_cast<std::uint64_t>(world_.now().ns) ^ std::uint64_t{bytes_.size()} << 40);
  world_.record(trace::disk_write, host_.node(), file_, bytes_.size());
  world_.nodes.disk(host_.node()).append(file_, bytes_);
}

void DiskSync::await_suspend(std::coroutine_handle<> me) {
  const NodeId node = host_.node();
  const Disk& disk = world_.nodes.disk(node);
  sync_ = disk.begin_sync(file_);
  const Duration d = latency(world_, node, Purpose::disk_fsync, disk.sync_latency, disk.slowdown);
  wait_.set(world_.tasks, world_.tasks.wait_until(node, me, world_.tasks.monotonic_now(node) + d, "disk sync"));
}

void DiskSync::await_resume() {
  world_.trace.cover(static_cast<std::uint64_t>(world_.now().ns) ^ std::uint64_t{sync_.bytes} << 40);
  world_.record(trace::disk_synced, host_.node(), file_, sync_.bytes);
  world_.nodes.disk(host_.node()).finish_sync(file_, sync_);
}

}  // namespace picklock
