// A node's disk: files with a page cache in front of the platter.
//
// A write reaches the page cache and survives the death of the process.  It survives the loss of power
// once an fsync that *began after it* has completed.  Left out: partial and reordered writes, full
// disks, errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/law.hpp"
#include "sim/task/host.hpp"

namespace picklock {

class World;
using FileId = std::uint32_t;

class Disk {
 public:
  struct File {
    std::string name;
    std::string cached;       // the contents, as a reader of this host sees them
    std::size_t durable = 0;  // number of bytes of `cached` on the platter
    bool replaced = false;    // replaced since the last sync: the platter holds `old`
    std::string old;
    std::uint32_t replacements = 0;
    bool used = false;
  };

  void reset();
  FileId open(std::string_view name);  // creates it, empty, if it is not there
  const std::string& contents(FileId f) const { return files_[f].cached; }

  // The effects, without their latency.
  void append(FileId f, std::string_view bytes) { files_[f].cached.append(bytes); }
  void replace(FileId f, std::string_view bytes);  // acts like a write to a new file and a rename
  // A sync covers what had been written when it began, and nothing of a file that replaced it since.
  struct Sync {
    std::size_t bytes = 0;
    std::uint32_t replacements = 0;
  };
  Sync begin_sync(FileId f) const { return {files_[f].cached.size(), files_[f].replacements}; }
  void finish_sync(FileId f, const Sync& sync);
  void lose_power();

  std::uint64_t fingerprint() const;

  Law write_latency = Law::uniform(microseconds(5), microseconds(20));
  Law sync_latency = Law::uniform(microseconds(200), milliseconds(2));
  Law slowdown = Law::constant(std::int64_t{0});  // added to both; the fault `slow-disk`

 private:
  std::vector<File> files_;
};

// co_await DiskWrite(world, host, file, bytes): the bytes, which stay as they are until then, are in the page cache.
class [[nodiscard]] DiskWrite {
 public:
  DiskWrite(World& world, const Host& host, FileId file, std::string_view bytes)
      : world_(world), host_(host), bytes_(bytes), file_(file) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me);
  void await_resume();

 private:
  World& world_;
  Host host_;
  std::string_view bytes_;
  FileId file_;
  OwnedWait wait_;
};

// co_await DiskSync(world, host, file): what had been written before is on the platter.
class [[nodiscard]] DiskSync {
 public:
  DiskSync(World& world, const Host& host, FileId file) : world_(world), host_(host), file_(file) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me);
  void await_resume();

 private:
  World& world_;
  Host host_;
  FileId file_;
  Disk::Sync sync_;
  OwnedWait wait_;
};

}  // namespace picklock
