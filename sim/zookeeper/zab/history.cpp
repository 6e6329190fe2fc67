#include "sim/zookeeper/zab/history.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void ZabHistory::load(ZabStored stored) {
  accepted_ = stored.accepted;
  current_ = stored.current;
  // A process may have died between writing a snapshot and shortening the log.
  std::erase_if(stored.log, [&](const ZabEntry& e) { return e.zxid <= stored.snapshot_zxid; });
  base_ = applied_zxid_ = snapshot_zxid_ = stored.snapshot_zxid;
  entries_.assign(std::make_move_iterator(stored.log.begin()), std::make_move_iterator(stored.log.end()));
  applied_ = since_snapshot_ = 0;
  last_ = newest();
  position_ = 0;
  records_.clear();
  machine_.restore(stored.snapshot, stored.snapshot_zxid);
}

ZabPosition ZabHistory::record(ZabRecord r) {
  records_.push_back(std::move(r));
  return ++position_;
}

ZabPosition ZabHistory::accept(ZabEpoch epoch) {
  accepted_ = epoch;
  ZabRecord r;
  r.kind = ZabRecord::Kind::accepted_epoch;
  r.sync = options_.flaw != ZabFlaw::forgets_epoch;
  r.epoch = epoch;
  return record(std::move(r));
}

ZabPosition ZabHistory::take_over(ZabEpoch epoch) {
  current_ = epoch;
  ZabRecord r;
  r.kind = ZabRecord::Kind::current_epoch;
  r.sync = options_.flaw != ZabFlaw::forgets_epoch;
  r.epoch = epoch;
  return record(std::move(r));
}

ZabPosition ZabHistory::append(ZabEntry&& entry) {
  last_ = entry.zxid;
  ZabRecord& r = records_.emplace_back();
  r.kind = ZabRecord::Kind::append;
  r.entry = entry;
  entries_.push_back(std::move(entry));
  return ++position_;
}

ZabPosition ZabHistory::truncate(ZabZxid last) {
  last_ = last;
  if (options_.flaw == ZabFlaw::forgets_truncation) return position_;
  if (options_.flaw == ZabFlaw::reloads_truncated && snapshot_of_all_ > last) return reload(last);
  while (!entries_.empty() && entries_.back().zxid > last) entries_.pop_back();
  applied_ = std::min(applied_, entries_.size());
  ZabRecord r;
  r.kind = ZabRecord::Kind::truncate;
  r.log = on_disk();
  return record(std::move(r));
}

// Flaw: the state is that of a later snapshot, and taken for that of `last`.
ZabPosition ZabHistory::reload(ZabZxid last) {
  commit(last);
  for (const ZabEntry& e : entries_) {
    if (e.zxid > last && e.zxid <= snapshot_of_all_) machine_.keep_truncated(e);
  }
  std::string snapshot = machine_.snapshot();
  return replace(last, std::move(snapshot));
}

void ZabHistory::skip_to(ZabZxid zxid) { last_ = std::max(last_, zxid); }

ZabPosition ZabHistory::replace(ZabZxid zxid, std::string snapshot) {
  machine_.restore(snapshot, zxid);
  entries_.clear();
  applied_ = since_snapshot_ = 0;
  base_ = last_ = applied_zxid_ = snapshot_zxid_ = zxid;
  ZabRecord r;
  r.kind = ZabRecord::Kind::snapshot;
  r.entry = {zxid, std::move(snapshot)};
  return record(std::move(r));
}

void ZabHistory::begin_epoch(ZabEpoch epoch) { last_ = std::max(last_, zab_zxid(epoch, 0)); }

void ZabHistory::commit(ZabZxid upto) {
  while (applied_ < entries_.size()) {
    const ZabEntry& next = entries_[applied_];
    if (next.zxid > upto) break;
    ++applied_;
    applied_zxid_ = next.zxid;
    machine_.apply(next);
    ++since_snapshot_;
  }
  if (since_snapshot_ >= options_.snapshot_every) {
    since_snapshot_ = 0;
    snapshot_zxid_ = applied_zxid_;
    ZabRecord r;
    r.kind = ZabRecord::Kind::snapshot;
    r.entry = {applied_zxid_, machine_.snapshot()};
    r.log = on_disk();
    record(std::move(r));
  }
  trim();
}

// A log that is rewritten keeps what the last snapshot does not cover.
std::vector<ZabEntry> ZabHistory::on_disk() const {
  const auto begin =
      std::find_if(entries_.begin(), entries_.end(), [this](const ZabEntry& e) { return e.zxid > snapshot_zxid_; });
  return {begin, entries_.end()};
}

void ZabHistory::trim() {
  while (applied_ > options_.committed_log && entries_.front().zxid <= snapshot_zxid_) {
    base_ = entries_.front().zxid;
    entries_.pop_front();
    --applied_;
  }
}

}  // namespace picklock
