#include "reports/campaigns/costs.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

struct Row {
  const char* title;
  const char* key;
  Spread spread;
  bool times;
};

std::array<Row, 3> rows_of(const Costs& c) {
  return {{{"latency of an acquire", "latency_ns", spread_of(c.latency_ns), true},
           {"requests of an acquire", "requests", spread_of(c.requests), false},
           {"wake-up latency", "wake_up_ns", spread_of(c.wake_up_ns), true}}};
}

// Returns tenths of a per cent; if none asked, all are served.
std::uint64_t share_served(const Costs& c) { return c.asked == 0 ? 1000 : c.granted * 1000 / c.asked; }

// Returns hundredths.
std::uint64_t per_grant(const Costs& c, std::uint64_t number) {
  return c.granted == 0 ? 0 : (number * 100 + c.granted / 2) / c.granted;
}

std::string seeds_text(SeedRange seeds) {
  return seeds.size() == 1 ? fmt::format("seed {}", seeds.first)
                           : fmt::format("seeds {}..{}, {} runs", seeds.first, seeds.last, seeds.size());
}

}  // namespace

std::string costs_text(const Scenario& scenario, const Costs& c, SeedRange seeds, const std::string& replay) {
  std::string out = fmt::format("{}: costs of {}, {}\n\n", scenario.name, scenario.lock.name, seeds_text(seeds));
  const std::uint64_t share = share_served(c), commands = per_grant(c, c.commands),
                      events = per_grant(c, c.watch_events);
  out += fmt::format("acquires: {} of {} granted ({}.{} %)\n", c.granted, c.asked, share / 10, share % 10);
  out += fmt::format("commands to the lock service for one grant: {}.{:02}\n", commands / 100, commands % 100);
  if (events > 0) out += fmt::format("watch events for one grant: {}.{:02}\n", events / 100, events % 100);
  out += fmt::format("overtaken requests: {}\n\n", c.overtaken);
  out += fmt::format("{:<24}{:>9}{:>12}{:>12}{:>12}{:>12}\n", "", "number", "mean", "median", "95 %", "most");
  for (const Row& row : rows_of(c)) {
    const auto cell = [&](std::int64_t v) { return row.times ? to_readable(Duration{v}) : fmt::format("{}", v); };
    const Spread& s = row.spread;
    if (s.count == 0) {
      out += fmt::format("{:<24}{:>9}\n", row.title, 0);
      continue;
    }
    out += fmt::format("{:<24}{:>9}{:>12}{:>12}{:>12}{:>12}\n", row.title, s.count, cell(s.mean), cell(s.median),
                       cell(s.p95), cell(s.most));
  }
  return out + fmt::format("\n{}\n", replay);
}

std::string costs_json(const Scenario& scenario, const Costs& c, SeedRange seeds, const std::string& replay) {
  nlohmann::ordered_json out = {{"picklock", "costs"}, {"schema", kJsonSchema}};
  out["scenario"] = scenario.name;
  out["lock"] = scenario.lock.name;
  out["seeds"] = {{"first", seeds.first}, {"last", seeds.last}};
  out["acquires"] = {{"asked", c.asked}, {"granted", c.granted}};
  out["commands"] = c.commands;
  out["watch_events"] = c.watch_events;
  out["overtaken"] = c.overtaken;
  for (const Row& row : rows_of(c)) {
    const Spread& s = row.spread;
    out[row.key] = {{"number", s.count}, {"mean", s.mean}, {"median", s.median}, {"p95", s.p95}, {"most", s.most}};
  }
  out["replay"] = replay;
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
