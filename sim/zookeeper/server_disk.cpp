#include "sim/zookeeper/server_disk.hpp"

#include <utility>

#include "base/packing.hpp"

namespace picklock {
namespace {

void pack(const ZabEntry& e, std::string& to) {
  Packer p(to);
  p.integer(e.zxid);
  p.text(e.txn);
  p.finish();
}

bool unpack(std::string_view from, ZabEntry& e) {
  Unpacker u(from);
  e.zxid = u.integer();
  e.txn.assign(u.text());
  return u.finished();
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
  accepted_file_ = w.disk(node).open("acceptedEpoch");
  current_file_ = w.disk(node).open("currentEpoch");
  stored.accepted = epoch_in(w.disk(node).contents(accepted_file_));
  stored.current = epoch_in(w.disk(node).contents(current_file_));
  snapshots_.open(w, node, "zk.snapshot", [&](std::string_view record) {
    ZabEntry e;
    if (!unpack(record, e)) return;
    stored.snapshot_zxid = e.zxid;
    stored.snapshot = std::move(e.txn);
  });
  log_.open(w, node, "zk.log", [&](std::string_view record) {
    ZabEntry e;
    if (unpack(record, e)) stored.log.push_back(std::move(e));
  });
  if (w.incarnation(node) != 0) {
    co_await snapshots_.sync();
    co_await log_.sync();
  }
  co_return stored;
}

void ZooServerDisk::add(std::vector<ZabRecord>& records) {
  if (records.empty()) return;
  for (ZabRecord& r : records) to_write_.push_back(std::move(r));
  records.clear();
  added_.ring();
}

// As many log entries as there are, or one record of another kind.
Task<ZabPosition> ZooServerDisk::write(Service service) {
  std::string packed;
  const auto add = [&packed](Journal& journal, const ZabEntry& e) {
    packed.clear();
    pack(e, packed);
    journal.add(packed);
  };
  ZabPosition position = written_;
  while (has_work() && to_write_.front().kind == ZabRecord::Kind::append) {
    add(log_, to_write_.front().entry);
    to_write_.pop_front();
    ++position;
  }
  if (position != written_) {
    co_await log_.write();
    co_await log_.sync();
  } else {
    const ZabRecord r = std::move(to_write_.front());
    to_write_.pop_front();
    ++position;
    if (r.kind == ZabRecord::Kind::accepted_epoch) {
      co_await write_epoch(service, accepted_file_, r.epoch, r.sync);
    } else if (r.kind == ZabRecord::Kind::current_epoch) {
      co_await write_epoch(service, current_file_, r.epoch, r.sync);
    } else {
      if (r.kind == ZabRecord::Kind::snapshot) {
        add(snapshots_, r.entry);
        snapshots_.replace();
        co_await snapshots_.sync();
      }
      for (const ZabEntry& e : r.log) add(log_, e);
      log_.replace();
      co_await log_.sync();
    }
  }
  written_ = position;
  co_return position;
}

Task<void> ZooServerDisk::write_epoch(Service service, FileId file, ZabEpoch epoch, bool sync) {
  std::string bytes;
  Packer p(bytes);
  p.integer(epoch);
  p.finish();
  service.world().disk(service.node()).replace(file, bytes);
  if (sync) co_await DiskSync(service.world(), service.host(), file);
}

}  // namespace picklock
