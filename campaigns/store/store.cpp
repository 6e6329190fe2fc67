#include "campaigns/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha1.hpp"
#include "base/version.hpp"
#include "checker/properties/properties.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kApplication = 0x706b6c6b;  // "pklk"
constexpr std::uint64_t kFormat = 6;                // grows when a table or the JSON of a chunk changes its meaning
constexpr std::chrono::seconds kBetweenCommits{1};

constexpr const char* kTables = R"(
CREATE TABLE cell(
  key TEXT PRIMARY KEY, kind TEXT NOT NULL, version TEXT NOT NULL, behaviour TEXT NOT NULL, lock TEXT NOT NULL, properties TEXT NOT NULL,
  scenario TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE chunk(
  cell TEXT NOT NULL REFERENCES cell(key), first_seed INTEGER NOT NULL, seeds INTEGER NOT NULL, result TEXT NOT NULL,
  PRIMARY KEY(cell, first_seed, seeds)) STRICT, WITHOUT ROWID;
CREATE TABLE finding(
  key TEXT PRIMARY KEY, hunt TEXT NOT NULL, property TEXT NOT NULL, cause TEXT NOT NULL, seed INTEGER NOT NULL,
  scenario TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

std::string names_of(const std::vector<Property>& properties) {
  std::string names;
  for (const Property p : properties) names += (names.empty() ? "" : ",") + std::string(info(p).name);
  return names;
}

// The place where two texts begin to differ, with a little before it.
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
  constexpr std::size_t kBefore = 60, kShown = 120;
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto place = static_cast<std::size_t>(at.first - a.begin());
  const std::size_t from = place < kBefore ? 0 : place - kBefore;
  return {a.substr(from, kShown), b.substr(from, kShown)};
}

}  // namespace

// A cell as campaigns see it.
class KeptCell : public ChunkMemory {
 public:
  KeptCell(Store& store, std::string key, bool play_again)
      : store_(store), key_(std::move(key)), play_again_(play_again) {}

  std::optional<std::string> find(SeedRange chunk) override {
    return play_again_ ? std::nullopt : store_.find(key_, chunk);
  }
  void keep(SeedRange chunk, const std::string& result) override { store_.keep(key_, chunk, result); }

 private:
  Store& store_;
  std::string key_;
  bool play_again_;
};

std::string CellContent::key() const {
  return sha1_hex(fmt::format("{}\n{}\n{}\n{:016x}\n{}\n{}\n{}", kFormat, kind, kVersion, behaviour, lock,
                              names_of(properties), scenario));
}

Store::Store(const std::string& path, Open open) : database_(path, open) {
  // One process alone, so that no memory need be shared: the file may lie on a file system of several machines.
  database_.run("PRAGMA locking_mode = EXCLUSIVE");
  database_.run("PRAGMA journal_mode = WAL");
  database_.run("PRAGMA synchronous = FULL");
  const std::uint64_t application = database_.number("PRAGMA application_id");
  if (application == 0 && database_.number("SELECT count(*) FROM sqlite_schema") == 0) {
    database_.run(fmt::format("BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA user_version = {};{}COMMIT;",
                              kApplication, kFormat, kTables));
  } else if (application != kApplication) {
    throw std::runtime_error(path + ": found another kind of database, expected a store of picklock sweep --store");
  }
  const std::uint64_t format = database_.number("PRAGMA user_version");
  if (format != kFormat) {
    throw std::runtime_error(fmt::format("{}: found a store of format {}, expected format {}: another version wrote it",
                                         path, format, kFormat));
  }
  find_ = std::make_unique<Statement>(database_,
                                      "SELECT result FROM chunk WHERE cell = ? AND first_seed = ? AND seeds = ?");
  keep_ = std::make_unique<Statement>(database_,
                                      "INSERT INTO chunk(cell, first_seed, seeds, result) VALUES(?, ?, ?, ?) "
                                      "ON CONFLICT DO NOTHING");
}

Store::~Store() {
  try {
    commit();
  } catch (const std::exception& problem) {
    fmt::print(stderr, "picklock: the last second of work is lost: {}\n", problem.what());
  }
}

void Store::begin() {
  if (in_transaction_) return;
  database_.run("BEGIN");
  in_transaction_ = true;
}

void Store::commit() {
  const std::lock_guard guard(mutex_);
  if (in_transaction_) database_.run("COMMIT");
  in_transaction_ = false;
}

std::unique_ptr<ChunkMemory> Store::cell(const CellContent& content, bool play_again) {
  const std::lock_guard guard(mutex_);
  const std::string key = content.key();
  begin();
  Statement(database_, "INSERT INTO cell VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .with(key, content.kind, kVersion, fmt::format("{:016x}", content.behaviour), content.lock,
            names_of(content.properties), content.scenario)
      .step();
  return std::make_unique<KeptCell>(*this, key, play_again);
}

std::optional<std::string> Store::find(const std::string& cell, SeedRange chunk) {
  const std::lock_guard guard(mutex_);
  find_->with(cell, chunk.first, chunk.size());
  std::optional<std::string> result;
  if (find_->step()) result = find_->text(0);
  find_->reset();
  return result;
}

bool Store::keep(const std::string& cell, SeedRange chunk, const std::string& result) {
  {
    const std::lock_guard guard(mutex_);
    begin();
    keep_->with(cell, chunk.first, chunk.size(), result).step();
    const bool is_new = database_.changes() == 1;
    keep_->reset();
    if (is_new) {
      if (Clock::now() - committed_ < kBetweenCommits) return true;
      database_.run("COMMIT");
      in_transaction_ = false;
      committed_ = Clock::now();
      return true;
    }
  }
  const std::string kept = find(cell, chunk).value();
  if (kept == result) return false;
  const auto [one, other] = difference(kept, result);
  throw BrokenDeterminism(
      fmt::format("{}: seeds {}..{} of cell {} were played twice, with different results: determinism is broken\n"
                  "  kept: …{}…\n  now:  …{}…",
                  database_.path(), chunk.first, chunk.last, cell, one, other));
}

bool Store::keep(const KeptFinding& f) {
  const std::lock_guard guard(mutex_);
  begin();
  const std::string key = sha1_hex(fmt::format("{}\n{}\n{}\n{}\n{}", f.hunt, f.property, f.cause, f.seed, f.scenario));
  Statement(database_, "INSERT INTO finding VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .with(key, f.hunt, f.property, f.cause, f.seed, f.scenario)
      .step();
  return database_.changes() == 1;
}

Store::Merged Store::merge(Store& other) {
  commit();
  Merged merged;
  Statement cells(other.database_,
                  "SELECT key, kind, version, behaviour, lock, properties, scenario FROM cell ORDER BY key");
  Statement add(database_, "INSERT INTO cell VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  Statement findings(other.database_, "SELECT hunt, property, cause, seed, scenario FROM finding ORDER BY key");
  Statement chunks(other.database_,
                   "SELECT cell, first_seed, seeds, result FROM chunk ORDER BY cell, first_seed, seeds");
  begin();
  try {
    while (cells.step()) {
      add.with(cells.text(0), cells.text(1), cells.text(2), cells.text(3), cells.text(4), cells.text(5), cells.text(6))
          .step();
    }
    while (findings.step()) {
      merged.findings +=
          keep({findings.text(0), findings.text(1), findings.text(2), findings.number(3), findings.text(4)});
    }
    while (chunks.step()) {
      const std::uint64_t first = chunks.number(1), seeds = chunks.number(2);
      committed_ = Clock::now();  // all at once, at the end
      const bool is_new = keep(chunks.text(0), {first, first + seeds - 1}, chunks.text(3));
      ++(is_new ? merged.added : merged.known);
    }
  } catch (...) {
    database_.run("ROLLBACK");
    in_transaction_ = false;
    throw;
  }
  commit();
  return merged;
}

}  // namespace picklock
