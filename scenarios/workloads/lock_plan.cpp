#include "scenarios/workloads/lock_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"

namespace picklock {
namespace {

constexpr std::string_view kRead = ":read", kWrite = ":write";

std::optional<std::uint32_t> find(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}

void add(std::vector<std::string>& names, std::string_view name) {
  if (!find(names, name)) names.emplace_back(name);
}

std::string joined(const LockEntry& entry) { return fmt::format("{}", fmt::join(entry.names, "+")); }

std::uint32_t number_of(const LockTable& table, const LockEntry& entry) {
  const bool several = entry.names.size() > 1;
  const auto found = find(several ? table.multis : table.names, joined(entry));
  PICKLOCK_CHECK(found.has_value());
  return *found + (several ? static_cast<std::uint32_t>(table.names.size()) : 0);
}

}  // namespace

std::optional<LockEntry> parse_lock_entry(std::string_view text) {
  LockEntry entry;
  if (text.ends_with(kRead)) {
    entry.sharing = Sharing::shared;
    text.remove_suffix(kRead.size());
  } else if (text.ends_with(kWrite)) {
    text.remove_suffix(kWrite.size());
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (name.empty() || find(entry.names, name)) return std::nullopt;
    entry.names.emplace_back(name);
    begin = end + 1;
  }
  return entry;
}

std::string to_text(const LockEntry& entry) {
  return joined(entry) + std::string(entry.sharing == Sharing::shared ? kRead : "");
}

bool reads_what_it_writes(const LockUse& held, const LockUse& asked, const Claims& claims) {
  return claims.reentrant && claims.shared && held.number == asked.number && held.sharing == Sharing::exclusive &&
         asked.sharing == Sharing::shared;
}

bool reads_within_writer(const LockPlan& plan, const Claims& claims) {
  for (std::size_t inner = 1; inner < plan.order.size(); ++inner) {
    for (std::size_t outer = 0; outer < inner; ++outer) {
      if (reads_what_it_writes(plan.uses[plan.order[outer]], plan.uses[plan.order[inner]], claims)) return true;
    }
  }
  return false;
}

void add_locks(std::span<const LockEntry> entries, LockTable& table) {
  for (const LockEntry& entry : entries) {
    for (const std::string& name : entry.names) add(table.names, name);
    if (entry.names.size() > 1) add(table.multis, joined(entry));
  }
}

LockPlan make_lock_plan(std::span<const LockEntry> entries, const LockTable& table) {
  LockPlan plan;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto same = std::find(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i), entries[i]);
    const auto first = static_cast<std::size_t>(same - entries.begin());
    if (first < i) {
      plan.order.push_back(plan.order[first]);
      continue;
    }
    LockUse use;
    for (const std::string& name : entries[i].names) {
      use.locks.push_back(*find(table.names, name));
      use.names.push_back(table.names[use.locks.back()]);
    }
    use.number = number_of(table, entries[i]);
    use.sharing = entries[i].sharing;
    plan.order.push_back(static_cast<std::uint32_t>(plan.uses.size()));
    plan.uses.push_back(std::move(use));
  }
  return plan;
}

}  // namespace picklock
