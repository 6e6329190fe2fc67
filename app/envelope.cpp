#include "envelope/envelope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/lua/lua_locks.hpp"
#include "app/command.hpp"
#include "app/progress.hpp"
#include "base/files.hpp"
#include "base/nearest.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {

int envelope(const EnvelopeCommand& command) {
  std::vector<std::string> locks = command.locks;
  if (locks.empty()) {
    for (const std::string_view name : lock_names()) locks.emplace_back(name);
  }
  for (const std::string& lock : locks) {
    if (is_lua_file(lock)) {
      const std::string wrong = add_lua_lock(lock);
      if (!wrong.empty()) fmt::print(stderr, "picklock: {}\n", wrong);
      if (!wrong.empty()) return kUsage;
    }
    if (find_lock_kind(lock) != nullptr) continue;
    const std::vector<std::string> names(lock_names().begin(), lock_names().end());
    fmt::print(stderr, "picklock: found '{}', expected a lock (picklock list locks){}\n", lock,
               did_you_mean(lock, names));
    return kUsage;
  }
  EnvelopeOptions options;
  options.seeds = command.seeds;
  options.jobs = threads_of(command.jobs);
  for (const std::string& name : command.hazards) options.hazards.push_back(find_hazard(name));
  ProgressBar bar;
  const Interruptible interruptible;
  options.stop = &interruptible.stop();
  std::vector<Envelope> all;
  bool untested = false, wrong = false;
  for (std::size_t i = 0; i < locks.size() && !interruptible.stop(); ++i) {
    options.progress = [&](std::uint64_t done, std::uint64_t each) {
      bar.show(i * each + done, locks.size() * each, "hazards");
    };
    auto found = envelope_of(locks[i], options);
    if (!found) {
      fmt::print(stderr, "picklock: {} cannot be played with its default options\n", locks[i]);
      untested = true;
      continue;
    }
    for (const HazardEdge& e : found->edges) {
      untested = untested || e.contended == 0 || e.fit == Fit::untested;
      wrong = wrong || e.fit == Fit::wrong;
    }
    all.push_back(std::move(*found));
  }
  if (!command.svg.empty()) write_file(command.svg, envelope_svg(all));
  fmt::print("{}", command.json ? envelope_json(all, options.seeds) : envelope_text(all));
  if (wrong) return kNotAsExpected;
  return untested || interruptible.stop() ? kUndecided : kAsExpected;
}

}  // namespace picklock
