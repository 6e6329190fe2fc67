// The part of SQLite that the store uses. Every error throws std::runtime_error, with the file's path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace picklock {

class Database;

// A prepared statement; it must not outlive its database.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds from the first parameter on, after a reset.
  template <class... Values>
  Statement& with(const Values&... values) {
    reset();
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  bool step();  // true: there is a row
  std::uint64_t number(int column) const;
  std::string text(int column) const;
  void reset();  // ends the reading of rows

 private:
  void bind(int place, std::string_view text);
  void bind(int place, std::uint64_t number);  // kept in the same 64 bits

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Open : std::uint8_t { existing, or_create };
  Database(const std::string& path, Open open);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);              // statements without parameters
  std::uint64_t number(const std::string& sql);  // the first column of the first row
  std::uint64_t changes() const;                 // rows that the last statement changed
  const std::string& path() const { return path_; }
  [[noreturn]] void fail() const;  // throws SQLite's last message

 private:
  friend class Statement;
  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace picklock
