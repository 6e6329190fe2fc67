// The disk of one server process: what it finds at boot, and what waits to be written.
//
//   ZabStored stored = co_await disk.load(service);            // a boot begins with this
//   disk.add(records);                                         // records come in ZAB's order
//   StandingWait work = disk.work();                           // the writing task holds this
//   if (!disk.has_work()) co_await work.next();
//   const ZabPosition upto = disk.begin_batch();               // once written, all up to here is on the platter:
//   if (disk.writes_entries()) …                               // log().write() and log().sync(), or else
//   co_await disk.write_other(service);
//
// Log entries that follow each other are written together, with one sync (SyncRequestProcessor). Files: zk.log,
// zk.snapshot, acceptedEpoch, currentEpoch. Their content at boot is synced before the server tells anyone.
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
  bool has_work() const { return writes_entries() || !waiting_.empty(); }
  StandingWait work() {  // each next() ends when there is work
    return context_.service.standing_wait({.bell = &added_, .messages = false, .what = "log entries"});
  }
  // The next batch: all entries up to the next record of another kind, or one such record.
  ZabPosition begin_batch();
  bool writes_entries() const { return log_.anything_to_write(); }
  Journal& log() { return log_; }
  Task<void> write_other(Service service);

 private:
  void take(const ZabEntry& entry);
  Task<void> write_epoch(Service service, FileId file, ZabEpoch epoch, bool sync);

  const ZooServerContext& context_;
  Journal log_, snapshots_;
  FileId accepted_file_ = 0, current_file_ = 0;
  std::deque<ZabRecord> waiting_;  // a record of another kind, and all behind it
  ZabPosition taken_ = 0;          // the last position that has gone to the journal, or to another file
  Bell added_;
};

}  // namespace picklock
