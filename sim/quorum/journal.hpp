// A write-ahead log on a node's disk: framed, checksummed records, only ever appended.
//
//   journal.open(world, node, "wal", [&](std::string_view record) { … });   // call it after each boot
//   journal.add(record);
//   co_await journal.write();   // the page cache has it: it outlives the process
//   co_await journal.sync();    // the platter has it: it outlives the loss of power
//
// A frame is [length: 4 bytes][checksum: 4 bytes][record], little-endian.  The first frame that is cut short
// or does not match its checksum ends the log: no later record was ever acknowledged.  To cut off an end or a
// beginning, the whole file is replaced, which is all or nothing once synced; until then a loss of power brings back
// the former file.  A snapshot is a journal of one record.
//
// Left out: segments and their pre-allocation, partial writes within what a sync covers, bit rot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

class Journal {
 public:
  // Finds the file, cuts off a broken end, and hands over each whole record in order; the views are good
  // until the call returns.  Nothing that was added and not written before remains.
  template <class F>
  void open(World& world, NodeId node, std::string_view name, F&& record) {
    open(world, node, name);
    const std::string& all = world.nodes.disk(node).contents(file_);
    for (std::size_t at = 0; at < all.size(); at += kHeader + length_at(all, at)) {
      record(std::string_view(all).substr(at + kHeader, length_at(all, at)));
    }
  }
  void open(World& world, NodeId node, std::string_view name);

  // A record, of which a first part may be given apart.
  void add(std::string_view record) { add({}, record); }
  void add(std::string_view begin, std::string_view rest) { frame(pending_, begin, rest); }
  bool anything_to_write() const { return !pending_.empty(); }
  DiskWrite write();  // one write at a time; records added meanwhile wait for the next
  DiskSync sync() { return DiskSync(*world_, world_->host(node_), file_); }

  // The log is from now on what was added since the last write, and nothing else.  Sync it.
  void replace();

  std::size_t bytes() const { return world_->nodes.disk(node_).contents(file_).size(); }

  // A record as it is stored; for tests, and for a log that is kept elsewhere.
  static void frame(std::string& to, std::string_view record) { frame(to, {}, record); }
  static void frame(std::string& to, std::string_view begin, std::string_view rest);

 private:
  static constexpr std::size_t kHeader = 8;
  static std::size_t length_at(std::string_view all, std::size_t at);
  static std::size_t whole_frames(std::string_view all);

  World* world_ = nullptr;
  NodeId node_ = 0;
  FileId file_ = 0;
  std::string pending_, writing_;  // added; on its way into the page cache
};

}  // namespace picklock
