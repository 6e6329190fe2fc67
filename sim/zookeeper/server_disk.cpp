#include "sim/zookeeper/server_disk.hpp"

#include <utility>

#include "base/packing.hpp"

namespace picklock {
namespace {

[[gnu::always_inline]] inline void add(Journal& journal, const ZabEntry& e) {
  PackedHead<2> head;
  head.word(static_cast<std::uint64_t>(e.zxid));
  head.word(e.txn.size());
  journal.add(head.view(), e.txn);
}

bool unpack(std::string_view from, ZabEntry& e) {
  Unpacker u(from);
  e.zxid = static_cast<ZabZxid>(u.word());
  const std::uint64_t size = u.word();
  e.txn = u.rest();
  return u.good() && e.txn.size() == size;
}

ZabEpoch epoch_in(const std::string& file) {
  Unpacker u(file);
  const ZabEpoch epoch = u.integer();
  return u.finished() ? epoch : 0;
}

}  // namespace

Task<ZabStored> ZooServerDisk::load(Service service) {
  World& w = service.world();
  const NodeId node = service.node();
  ZabStored stored;
  accepted_file_ = w.nodes.disk(node).open("acceptedEpoch");
  current_file_ = w.nodes.disk(node).open("currentEpoch");
  stored.accepted = epoch_in(w.nodes.disk(node).contents(accepted_file_));
  stored.current = epoch_in(w.nodes.disk(node).contents(current_file_));
  snapshots_.open(w, node, "zk.snapshot", [&](std::string_view record) {
    ZabEntry e;
    if (!unpack(record, e)) return;
    stored.snapshot_zxid = e.zxid;
    stored.snapshot = e.txn.view();
  });
  log_.open(w, node, "zk.log", [&](std::string_view record) {
    ZabEntry e;
    if (unpack(record, e)) stored.log.push_back(std::move(e));
  });
  if (w.nodes.incarnation(node) != 0) {
    co_await snapshots_.sync();
    co_await log_.sync();
  }
  co_return stored;
}

void ZooServerDisk::add(std::vector<ZabRecord>& records) {
  for (ZabRecord& r : records) {
    if (waiting_.empty() && r.kind == ZabRecord::Kind::append) {
      take(r.entry);
    } else {
      waiting_.push_back(std::move(r));
    }
  }
  records.clear();
  added_.ring();
}

void ZooServerDisk::take(const ZabEntry& entry) {
  picklock::add(log_, entry);
  ++taken_;
}

ZabPosition ZooServerDisk::begin_batch() {
  for (; !waiting_.empty() && waiting_.front().kind == ZabRecord::Kind::append; waiting_.pop_front()) {
    take(waiting_.front().entry);
  }
  return writes_entries() ? taken_ : taken_ + 1;
}

Task<void> ZooServerDisk::write_other(Service service) {
  const ZabRecord& r = waiting_.front();  // later records wait for this one
  if (r.kind == ZabRecord::Kind::accepted_epoch) {
    co_await write_epoch(service, accepted_file_, r.epoch, r.sync);
  } else if (r.kind == ZabRecord::Kind::current_epoch) {
    co_await write_epoch(service, current_file_, r.epoch, r.sync);
  } else {
    if (r.kind == ZabRecord::Kind::snapshot) {
      picklock::add(snapshots_, r.entry);
      snapshots_.replace();
      co_await snapshots_.sync();
    }
    for (const ZabEntry& e : r.log) picklock::add(log_, e);
    log_.replace();
    co_await log_.sync();
  }
  waiting_.pop_front();
  ++taken_;
}

Task<void> ZooServerDisk::write_epoch(Service service, FileId file, ZabEpoch epoch, bool sync) {
  std::string bytes;
  Packer p(bytes);
  p.integer(epoch);
  p.finish();
  service.world().nodes.disk(service.node()).replace(file, bytes);
  if (sync) co_await DiskSync(service.world(), service.host(), file);
}

}  // namespace picklock
