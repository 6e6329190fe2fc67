#include "campaigns/store/sqlite.hpp"

#include <sqlite3.h>

#include <stdexcept>

#include "base/files.hpp"

namespace picklock {

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) != SQLITE_OK)
    database.fail();
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::reset() { sqlite3_reset(statement_); }

void Statement::bind(int place, std::string_view text) {
  const int size = static_cast<int>(text.size());
  if (sqlite3_bind_text(statement_, place, text.data(), size, SQLITE_TRANSIENT) != SQLITE_OK) database_.fail();
}

void Statement::bind(int place, std::uint64_t number) {
  if (sqlite3_bind_int64(statement_, place, static_cast<sqlite3_int64>(number)) != SQLITE_OK) database_.fail();
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail();
  return status == SQLITE_ROW;
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

std::string Statement::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Database::Database(const std::string& path, Open open) : path_(path) {
  if (is_written_through(path))
    throw std::runtime_error(path + ": is a device, a FIFO or a descriptor, expected a file: a store is read as well");
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (open == Open::or_create ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) == SQLITE_OK) return;
  const std::string reason = handle_ == nullptr ? "no memory" : sqlite3_errmsg(handle_);
  sqlite3_close(handle_);
  throw std::runtime_error(path + ": " + reason);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail() const {
  if (sqlite3_errcode(handle_) == SQLITE_BUSY)
    throw std::runtime_error(path_ + ": another process uses this store; give each its own, and merge them");
  throw std::runtime_error(path_ + ": " + sqlite3_errmsg(handle_));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::uint64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::uint64_t Database::changes() const { return static_cast<std::uint64_t>(sqlite3_changes64(handle_)); }

}  // namespace picklock
