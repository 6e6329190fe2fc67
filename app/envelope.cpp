#include "instruments/envelope/envelope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/lock_files.hpp"
#include "app/command.hpp"
#include "app/progress.hpp"
#include "app/shared_options.hpp"
#include "base/files.hpp"
#include "base/nearest.hpp"
#include "instruments/envelope/hazards.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

struct EnvelopeCommand {
  std::vector<std::string> locks;    // empty: all
  std::vector<std::string> hazards;  // empty: all
  std::uint64_t seeds = 20;
  unsigned jobs = 0;
  bool json = false;
  std::string svg;  // file for the picture; empty: none
};

// 0: no claim is refuted; 1: one is; 3: something was not tested.
int envelope(const EnvelopeCommand& command) {
  std::vector<std::string> locks = command.locks;
  if (locks.empty()) {
    for (const std::string_view name : lock_names()) locks.emplace_back(name);
  }
  for (const std::string& lock : locks) {
    if (const std::string wrong = open_lock(lock); !wrong.empty()) {
      fmt::print(stderr, "picklock: {}\n", wrong);
      return kUsage;
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

constexpr const char* kEnvelopeExamples = R"(
Examples:
  picklock envelope set-nx-px
  picklock envelope redlock etcd-mutex zookeeper-lock --hazard pause,delay
  picklock envelope --seeds 50 --format json        all locks

Exit status: 0 no claim of a lock is refuted; 1 one is; 2 usage, or output that cannot be written; 3 something was not tested, or the
measurement was interrupted.)";

}  // namespace

CommandBody state_envelope(CLI::App& app) {
  const auto asked = std::make_shared<EnvelopeCommand>();
  app.footer(kEnvelopeExamples);
  std::vector<std::string> names;
  for (const Hazard& h : hazards()) names.emplace_back(h.name);
  allow_typed_programs(
      app.add_option("locks", asked->locks, "locks to measure, with their default options (default: all)"));
  comma_separated(app.add_option("--hazard", asked->hazards,
                                 fmt::format("hazards to measure (default: all): {}", fmt::join(names, ", ")))
                      ->check(CLI::IsMember(names)));
  app.add_option("--seeds", asked->seeds, "seeds 1..N, each with its own smallest magnitude (default 20)")
      ->check(CLI::Range(1, 100'000));
  add_jobs(app, asked->jobs);
  add_path(app, "--svg", asked->svg, "file for a picture of the envelopes");
  add_format(app, asked->json);
  return [asked] { return envelope(*asked); };
}

}  // namespace picklock
