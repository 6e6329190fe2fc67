// Chunks of sweeps in an SQLite file: docs/store.md describes its tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaigns/chunk_memory.hpp"
#include "campaigns/store/sqlite.hpp"

namespace picklock {

// A chunk was played twice, and with different results.
class BrokenDeterminism : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// All that decides the result of a cell's runs.
struct CellContent {
  std::string kind;      // kind of the chunks: sweep, run, compare
  std::string scenario;  // scenario as TOML
  std::string lock;
  std::vector<Property> properties;
  std::uint64_t behaviour = 0;  // behaviour_of(…)

  std::string key() const;  // 40 hexadecimal digits
};

struct KeptFinding {
  std::string hunt;      // command of the hunt
  std::string property;  // name of the violated property
  std::string cause;     // kinds of faults that the finding needs
  std::uint64_t seed = 1;
  std::string scenario;  // scenario as TOML: `picklock run` plays it with this seed
};

class Store {
 public:
  using Open = Database::Open;
  // Throws std::runtime_error if this is no store, or if another process uses it.
  Store(const std::string& path, Open open);
  ~Store();  // commits

  // A cell of this store, which must outlive it. With `play_again` it finds nothing: all is played and compared.
  std::unique_ptr<ChunkMemory> cell(const CellContent& content, bool play_again = false);

  // A failure that a hunt has found. Whether it is new.
  bool keep(const KeptFinding& finding);

  struct Merged {
    std::uint64_t added = 0, known = 0;  // numbers of chunks
    std::uint64_t findings = 0;          // number of findings added
  };
  // Adds all of the other's chunks, or none: then it throws BrokenDeterminism.
  Merged merge(Store& other);

  void commit();

 private:
  friend class KeptCell;
  using Clock = std::chrono::steady_clock;

  std::optional<std::string> find(const std::string& cell, SeedRange chunk);
  // Whether it is new. Throws BrokenDeterminism.
  bool keep(const std::string& cell, SeedRange chunk, const std::string& result);
  void begin();

  std::mutex mutex_;
  Database database_;
  std::unique_ptr<Statement> find_, keep_;
  bool in_transaction_ = false;
  Clock::time_point committed_ = Clock::now();
};

}  // namespace picklock
