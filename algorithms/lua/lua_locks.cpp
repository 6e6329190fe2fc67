#include "algorithms/lua/lua_locks.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/lua/lua_head.hpp"
#include "algorithms/lua/lua_lock.hpp"

namespace picklock {
namespace {

// Kinds refer to their heads for as long as the program runs.
std::deque<std::unique_ptr<LuaHead>>& heads() {
  static std::deque<std::unique_ptr<LuaHead>> all;
  return all;
}

const LuaLockOptions& own(const Options& options) { return options.as<LuaLockOptions>(); }

// Functions of a kind get the options alone, which lead to the file.
std::unique_ptr<Lock> make_lua_lock(const LockContext& context, const Options& options) {
  return std::make_unique<LuaLock>(context, own(options));
}
std::optional<Duration> lease_of(const Options& options) {
  return own(options).values.duration(own(options).file->lease);
}
std::optional<Duration> waits_for_dead_of(const Options& options) {
  return own(options).values.duration(own(options).file->waits_for_dead);
}
bool renews_by(const Options& options) { return own(options).values.says_yes(own(options).file->renews); }
std::int64_t count_of(const LuaCount& count, const Options& options) {
  const auto chosen = count.option.empty() ? std::nullopt : own(options).values.integer(count.option);
  return chosen.value_or(count.usual);
}
std::uint32_t servers_of(const Options& options) {
  return static_cast<std::uint32_t>(count_of(own(options).file->servers, options));
}
std::int64_t permits_in(const Options& options) { return count_of(own(options).file->permits, options); }

DataLease data_lease_in(const Options& options) { return own(options).file->data_lease->with(own(options).values); }

// The options of the N-th file: a kind has a plain function, which knows no more than its own place.
template <std::size_t N>
std::unique_ptr<Options> usual_options() {
  const std::shared_ptr<const LuaFile>& file = heads()[N]->file;
  return std::make_unique<OptionsOf<LuaLockOptions>>(LuaLockOptions{file, LuaOptions::usual(file->options)});
}
template <std::size_t... N>
constexpr auto usual_options_of_all(std::index_sequence<N...>) {
  return std::array<std::unique_ptr<Options> (*)(), sizeof...(N)>{usual_options<N>...};
}
constexpr auto kUsualOptions = usual_options_of_all(std::make_index_sequence<128>());

LockKind kind_of(const LuaHead& head, std::size_t place, LockMaker make) {
  LockKind kind = head.kind;
  kind.assumptions = head.assumptions;
  kind.default_options = kUsualOptions[place];
  kind.make = make;
  kind.lease = lease_of;
  kind.servers = servers_of;
  if (!head.file->renews.empty()) kind.renews = renews_by;
  kind.permits = permits_in;
  if (head.file->data_lease) kind.data_lease = data_lease_in;
  if (!head.file->waits_for_dead.empty()) kind.waits_for_dead = waits_for_dead_of;
  return kind;
}

}  // namespace

std::string add_lua_lock_text(const std::string& name, const std::string& text) {
  if (text.size() > kMostLuaBytes) return fmt::format("{}: found more than a MiB, expected a lock in Lua", name);
  auto head = std::make_unique<LuaHead>();
  if (std::string error = read_lua_head(name, text, *head); !error.empty()) return error;
  return add_lock_with_head(std::move(head), make_lua_lock);
}

std::string add_lock_with_head(std::unique_ptr<LuaHead> head, LockMaker make) {
  const std::string& name = head->file->name;
  const std::size_t place = heads().size();
  if (find_lock_kind(name) != nullptr) return fmt::format("{}: there is a lock of this name already", name);
  if (place == kUsualOptions.size()) {
    return fmt::format("{}: found {} locks of files before it, which are the most that one process can have", name,
                       place);
  }
  heads().push_back(std::move(head));
  if (add_lock_of_file(kind_of(*heads().back(), place, make))) return "";
  return fmt::format("{}: found no room for another lock", name);
}

std::string lua_lock_text(std::string_view name) {
  for (const auto& head : heads()) {
    if (head->file->name == name) return head->file->text;
  }
  return "";
}

void forget_lua_locks() {
  forget_locks_of_files();
  heads().clear();
}

}  // namespace picklock
