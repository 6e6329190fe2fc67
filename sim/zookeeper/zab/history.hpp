// The history of one server: its log, a snapshot below it, and two epochs.
//
// Each change is also a record for the disk, numbered from 1 on; its writer keeps their order and
// says how far they are on the platter.  `accepted` is the last epoch that the server promised to a leader,
// `current` that of the last leader whose history it has taken over (Zab 1.0, phases 1 and 2).
//
// Left out: log files of a preallocated size, fuzzy snapshots (here one is of an instant), and reading what is
// older than the committed log from the files of the log to bring a learner up to date.  A learner that is
// further behind than `committed_log` entries gets a snapshot.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/zookeeper/zab/machine.hpp"
#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

using ZabPosition = std::uint64_t;  // position of a record; 0: before the first

struct ZabRecord {
  enum class Kind : std::uint8_t { accepted_epoch, current_epoch, append, truncate, snapshot };
  Kind kind{};
  bool sync = true;           // false only of a flaw
  ZabEpoch epoch = 0;         // accepted_epoch, current_epoch: the epoch
  ZabEntry entry;             // append; of a snapshot: its zxid and the state
  std::vector<ZabEntry> log;  // truncate, snapshot: the whole log as it is from now on
};

// The contents of the disk at boot.
struct ZabStored {
  ZabEpoch accepted = 0, current = 0;
  ZabZxid snapshot_zxid = 0;
  std::string snapshot;
  std::vector<ZabEntry> log;
};

// Keeps the log behind the snapshot, both epochs, how far the log is applied, and records for the disk.
class ZabHistory {
 public:
  ZabHistory(ZabMachine& machine, const ZabOptions& options) : machine_(machine), options_(options) {}

  void load(ZabStored stored);  // also restores the machine from the snapshot

  ZabEpoch accepted() const { return accepted_; }
  ZabEpoch current() const { return current_; }
  ZabZxid last() const { return last_; }  // zxid where it stands: its last entry, or its epoch's beginning
  ZabZxid applied() const { return applied_zxid_; }
  ZabZxid newest() const { return entries_.empty() ? base_ : entries_.back().zxid; }  // its last entry
  const std::deque<ZabEntry>& entries() const { return entries_; }  // the remembered ones, applied ones first
  // Index of the first entry from which a learner is brought up to date: `committed_log` applied ones remain.
  std::size_t first_kept() const { return applied_ > options_.committed_log ? applied_ - options_.committed_log : 0; }

  ZabPosition accept(ZabEpoch epoch);
  ZabPosition take_over(ZabEpoch epoch);  // current
  ZabPosition append(ZabEntry&& entry);
  ZabPosition truncate(ZabZxid last);                       // drops all entries after it
  void note_snapshot() { snapshot_of_all_ = newest(); }     // flaw: the snapshot covers the whole log, committed or not
  ZabPosition replace(ZabZxid zxid, std::string snapshot);  // its history is from now on this state
  void skip_to(ZabZxid zxid);                               // a flaw: as if all until then were here
  void begin_epoch(ZabEpoch epoch);                         // the leader must not have proposed anything yet

  void commit(ZabZxid upto);  // applies what is in the log and was not yet
  bool has_applied_all() const { return applied_ == entries_.size(); }
  std::string snapshot() const { return machine_.snapshot(); }  // state at applied()

  ZabPosition written() const { return position_; }       // the last record
  std::vector<ZabRecord>& records() { return records_; }  // records not handed over yet; the caller takes and clears
  bool has_records() const { return !records_.empty(); }

 private:
  ZabPosition record(ZabRecord r);
  std::vector<ZabEntry> on_disk() const;
  void trim();
  ZabPosition reload(ZabZxid last);

  ZabMachine& machine_;
  const ZabOptions& options_;
  ZabEpoch accepted_ = 0, current_ = 0;
  ZabZxid base_ = 0, last_ = 0, applied_zxid_ = 0, snapshot_zxid_ = 0, snapshot_of_all_ = 0;
  std::deque<ZabEntry> entries_;
  std::size_t applied_ = 0;         // number of entries_ that are applied
  std::size_t since_snapshot_ = 0;  // applied
  ZabPosition position_ = 0;
  std::vector<ZabRecord> records_;
};

}  // namespace picklock
