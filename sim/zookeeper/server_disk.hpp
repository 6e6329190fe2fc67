// The disk of one server process: what it finds at boot, and what waits to be written.
//
//   ZabStored stored = co_await disk.load(service);            // at boot
//   disk.add(records);                                         // in ZAB's order
//   StandingWait work = disk.work();                           // by the task that writes
//   if (!disk.has_work()) co_await work.next();
//   const ZabPosition upto = co_await disk.write(service);     // on the platter, up to here
//
// Log entries that follow each other are written together, with one sync (SyncRequestProcessor). Files: zk.log,
// zk.snapshot, acceptedEpoch, currentEpoch. What stands in them at boot is synced before the server tells anyone.
//
// Left out:  the sync at boot hides the loss of what a killed process had written, if its machine loses power before
//            the kernel writes it back.
#pragma once

#include <deque>
#include <vector>

#include "sim/quorum/journal.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/zab/history.hpp"

namespace picklock {

// Keeps the files of one server process, and the records that are not written yet.
class ZooServerDisk {
 public:
  explicit ZooServerDisk(const ZooServerContext& context) : context_(context) {}

  Task<ZabStored> load(Service service);
  void add(std::vector<ZabRecord>& records);  // takes them all
  bool has_work() const { return !to_write_.empty(); }
  StandingWait work() {  // each next() ends when there is some
    return context_.service.standing_wait({.bell = &added_, .messages = false, .what = "log entries"});
  }
  Task<ZabPosition> write(Service service);  // the next batch

 private:
  Task<void> write_epoch(Service service, FileId file, ZabEpoch epoch, bool sync);

  const ZooServerContext& context_;
  Journal log_, snapshots_;
  FileId accepted_file_ = 0, current_file_ = 0;
  std::deque<ZabRecord> to_write_;
  ZabPosition written_ = 0;  // the last position that was taken from to_write_
  Bell added_;
};

}  // namespace picklock
