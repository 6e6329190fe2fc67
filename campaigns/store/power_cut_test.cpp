// A store on a disk that loses, in a power cut, what was not synced: any part of it, in sectors, in any order. Nothing that
// was acknowledged is lost, nothing is there twice, and the sweep goes on from there. A disk that says yes to a sync and
// does nothing is caught by the same test.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "campaigns/store/store.hpp"

namespace picklock {
namespace power_cut_test {

constexpr std::size_t kSector = 512;

// The disk, and what the operating system has not written to it yet.
class Disk {
 public:
  explicit Disk(bool lies) : lies_(lies) {}

  struct Write {
    std::size_t at;
    std::string bytes;
  };
  struct File {
    std::string now, durable;
    std::vector<Write> unsynced;  // writes after the last sync
    std::optional<std::size_t> cut_to;
    bool is_durable = false;  // its name is in the folder on the disk
  };

  void cut_after(std::uint64_t operations) { left_ = operations; }
  std::uint64_t operations() const { return done_; }
  bool has_power() const { return has_power_; }
  File* find(const std::string& name) {
    const auto found = files_.find(name);
    return found == files_.end() ? nullptr : &found->second;
  }
  File& create(const std::string& name) { return files_[name]; }

  // Whether the operation still takes place; a write that is under way when power fails may be there in part.
  bool operate() {
    if (!has_power_) return false;
    ++done_;
    if (left_ > 0) return --left_, true;
    has_power_ = false;
    return false;
  }
  bool write(File& file, std::size_t at, const std::string& bytes) {
    if (!has_power_) return false;
    file.unsynced.push_back({at, bytes});
    if (!operate()) return false;
    put(file.now, {at, bytes});
    return true;
  }
  bool truncate(File& file, std::size_t size) {
    if (!operate()) return false;
    file.now.resize(size);
    file.cut_to = size;
    return true;
  }
  bool sync(File& file) {
    if (!operate()) return false;
    if (lies_) return true;
    file.durable = file.now;
    file.unsynced.clear();
    file.cut_to.reset();
    file.is_durable = true;
    return true;
  }
  bool remove(const std::string& name) {
    if (!operate()) return false;
    files_.erase(name);
    return true;
  }

  // The cut keeps or loses each unsynced sector.
  void restart(std::mt19937_64& random) {
    for (auto one = files_.begin(); one != files_.end();) {
      File& file = one->second;
      if (!file.is_durable && random() % 2 == 0) {
        one = files_.erase(one);
        continue;
      }
      if (file.cut_to && random() % 2 == 0) file.durable.resize(std::min(file.durable.size(), *file.cut_to));
      for (const Write& write : file.unsynced) {
        for (std::size_t from = 0; from < write.bytes.size(); from += kSector) {
          if (random() % 2 == 0) put(file.durable, {write.at + from, write.bytes.substr(from, kSector)});
        }
      }
      const std::string left = std::move(file.durable);
      file = {left, left, {}, {}, true};
      ++one;
    }
    has_power_ = true;
    left_ = UINT64_MAX;
  }

 private:
  static void put(std::string& content, const Write& write) {
    content.resize(std::max(content.size(), write.at + write.bytes.size()), '\0');
    content.replace(write.at, write.bytes.size(), write.bytes);
  }

  std::map<std::string, File> files_;
  std::uint64_t left_ = UINT64_MAX, done_ = 0;
  bool lies_, has_power_ = true;
};

Disk* disk = nullptr;  // the disk that SQLite sees

struct OpenFile {
  sqlite3_file base;
  char name[64];
  Disk::File& file() const { return disk->create(name); }
};
const OpenFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
int done_or(bool done, int error) { return done ? SQLITE_OK : error; }

const sqlite3_io_methods kMethods = {
    1,
    [](sqlite3_file*) { return SQLITE_OK; },
    [](sqlite3_file* f, void* into, int amount, sqlite3_int64 at) {
      const std::string& content = of(f).file().now;
      const auto from = static_cast<std::size_t>(at), wanted = static_cast<std::size_t>(amount);
      const std::size_t there = from >= content.size() ? 0 : std::min(wanted, content.size() - from);
      std::memset(into, 0, wanted);
      std::memcpy(into, content.data() + std::min(from, content.size()), there);
      return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
    },
    [](sqlite3_file* f, const void* from, int amount, sqlite3_int64 at) {
      const std::string bytes(static_cast<const char*>(from), static_cast<std::size_t>(amount));
      return done_or(disk->write(of(f).file(), static_cast<std::size_t>(at), bytes), SQLITE_IOERR_WRITE);
    },
    [](sqlite3_file* f, sqlite3_int64 size) {
      return done_or(disk->truncate(of(f).file(), static_cast<std::size_t>(size)), SQLITE_IOERR_TRUNCATE);
    },
    [](sqlite3_file* f, int) { return done_or(disk->sync(of(f).file()), SQLITE_IOERR_FSYNC); },
    [](sqlite3_file* f, sqlite3_int64* size) {
      *size = static_cast<sqlite3_int64>(of(f).file().now.size());
      return SQLITE_OK;
    },
    [](sqlite3_file*, int) { return SQLITE_OK; },
    [](sqlite3_file*, int) { return SQLITE_OK; },
    [](sqlite3_file*, int* reserved) {
      *reserved = 0;
      return SQLITE_OK;
    },
    [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    [](sqlite3_file*) { return static_cast<int>(kSector); },
    [](sqlite3_file*) { return 0; },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  auto* const opened = reinterpret_cast<OpenFile*>(file);
  opened->base.pMethods = nullptr;
  if (disk->find(name) == nullptr && ((flags & SQLITE_OPEN_CREATE) == 0 || !disk->has_power())) return SQLITE_CANTOPEN;
  std::strncpy(opened->name, name, sizeof opened->name - 1);
  opened->name[sizeof opened->name - 1] = '\0';
  disk->create(name);
  opened->base.pMethods = &kMethods;
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

// While it lives, SQLite's files lie on this disk.
class Mounted {
 public:
  explicit Mounted(Disk& on) : system_(*sqlite3_vfs_find(nullptr)), before_(sqlite3_vfs_find(nullptr)) {
    disk = &on;
    system_.iVersion = 1;
    system_.szOsFile = sizeof(OpenFile);
    system_.zName = "power-cut";
    system_.pNext = nullptr;
    system_.xOpen = open_file;
    system_.xDelete = [](sqlite3_vfs*, const char* name, int) {
      return done_or(disk->remove(name), SQLITE_IOERR_DELETE);
    };
    system_.xAccess = [](sqlite3_vfs*, const char* name, int, int* there) {
      *there = disk->find(name) != nullptr;
      return SQLITE_OK;
    };
    system_.xFullPathname = [](sqlite3_vfs*, const char* name, int size, char* out) {
      sqlite3_snprintf(size, out, "%s", name);
      return SQLITE_OK;
    };
    sqlite3_vfs_register(&system_, 1);
  }
  ~Mounted() {
    sqlite3_vfs_unregister(&system_);
    sqlite3_vfs_register(before_, 1);
    disk = nullptr;
  }

 private:
  sqlite3_vfs system_;
  sqlite3_vfs* before_;
};

constexpr std::uint64_t kChunks = 24, kSeeds = 32;

CellContent content() { return {"sweep", "a scenario", "a lock", {Property::mutual_exclusion}, 7}; }
SeedRange chunk(std::uint64_t i) { return {1 + i * kSeeds, (i + 1) * kSeeds}; }
std::string result(std::uint64_t i) { return std::to_string(i) + std::string(700 * (i % 4), 'x'); }

// Keeps what is missing, commits after every second chunk, and adds to `acknowledged` what was committed.
void sweep(std::set<std::uint64_t>& acknowledged) {
  Store store("s", Store::Open::or_create);
  const auto memory = store.cell(content());
  std::set<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    if (memory->find(chunk(i))) continue;
    memory->keep(chunk(i), result(i));
    kept.insert(i);
    if (i % 2 == 0) continue;
    store.commit();
    acknowledged.insert(kept.begin(), kept.end());
  }
}

// Says what is wrong after a cut; empty: nothing. A store that cannot be opened has lost everything.
std::string wrong_with(const std::set<std::uint64_t>& acknowledged) {
  try {
    {
      Database file("s", Database::Open::or_create);
      file.run("PRAGMA locking_mode = EXCLUSIVE");
      Statement check(file, "PRAGMA integrity_check");
      if (check.step() && check.text(0) != "ok") return "the file is damaged: " + check.text(0);
    }
    Store store("s", Store::Open::or_create);
    const auto memory = store.cell(content());
    for (std::uint64_t i = 0; i < kChunks; ++i) {
      const auto found = memory->find(chunk(i));
      if (found && *found != result(i)) return "chunk " + std::to_string(i) + " is another";
      if (!found && acknowledged.count(i) > 0) return "chunk " + std::to_string(i) + " is lost";
    }
    return "";
  } catch (const std::runtime_error& problem) {
    return acknowledged.empty() ? "" : problem.what();
  }
}

// Power fails at each instant of the sweep in turn. What was wrong, by instant.
std::map<std::uint64_t, std::string> cut_everywhere(bool lies) {
  std::uint64_t all = 0;
  {
    Disk whole(lies);
    const Mounted mounted(whole);
    std::set<std::uint64_t> acknowledged;
    sweep(acknowledged);
    EXPECT_EQ(acknowledged.size(), kChunks);
    all = whole.operations();
  }
  EXPECT_GT(all, 100u);
  std::map<std::uint64_t, std::string> wrong;
  ::testing::internal::CaptureStderr();
  for (std::uint64_t instant = 0; instant < all; ++instant) {
    Disk cut(lies);
    const Mounted mounted(cut);
    std::mt19937_64 random(instant);
    std::set<std::uint64_t> acknowledged;
    cut.cut_after(instant);
    try {
      sweep(acknowledged);
    } catch (const std::runtime_error&) {  // the disk answers no more
    }
    cut.restart(random);
    if (std::string what = wrong_with(acknowledged); !what.empty()) {
      wrong[instant] = std::move(what);
      continue;
    }
    if (lies) continue;
    // The same command goes on, and each chunk is there once.
    try {
      sweep(acknowledged);
      Database file("s", Database::Open::existing);
      file.run("PRAGMA locking_mode = EXCLUSIVE");
      if (file.number("SELECT count(*) FROM chunk") != kChunks) wrong[instant] = "not each chunk is there once";
    } catch (const std::runtime_error& problem) {
      wrong[instant] = problem.what();
    }
  }
  ::testing::internal::GetCapturedStderr();
  return wrong;
}

TEST(PowerCut, LosesNothingThatWasAcknowledged) {
  for (const auto& [instant, what] : cut_everywhere(false)) ADD_FAILURE() << "cut after " << instant << ": " << what;
}

TEST(PowerCut, OnADiskThatDoesNotSyncLosesWhatWasAcknowledged) { EXPECT_GT(cut_everywhere(true).size(), 20u); }

}  // namespace power_cut_test
}  // namespace picklock
