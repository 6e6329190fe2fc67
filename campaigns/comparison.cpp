#include "campaigns/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaigns/chunk_memory.hpp"
#include "campaigns/comparison_part.hpp"
#include "scenarios/file/differences.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostDifferences = 5;

// Whether `path` is `prefix` or lies below it.
bool lies_below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) &&
         (path.size() == prefix.size() || path[prefix.size()] == '.' || path[prefix.size()] == '[');
}

bool may_differ(std::string_view path, std::span<const std::string> also) {
  bool may = lies_below(path, "lock") || lies_below(path, "storage");
  for_each_service_table([&](const ServiceTable& table) { may = may || lies_below(path, table.name); });
  return may || std::any_of(also.begin(), also.end(), [&](const std::string& p) { return lies_below(path, p); });
}

std::string value_or_absent(const std::string& value) { return value.empty() ? "absent" : "'" + value + "'"; }

using Runners = std::vector<std::unique_ptr<Runner>>;  // one for each contestant

}  // namespace

std::vector<std::string> reasons_against(const Contestant& a, const Contestant& b, std::span<const std::string> also) {
  std::vector<std::string> reasons;
  const std::vector<SettingDifference> found = differences(a.scenario, b.scenario);
  if (found.empty()) reasons.push_back(fmt::format("{} and {} have the same settings", a.name, b.name));
  std::size_t more = 0;
  for (const SettingDifference& d : found) {
    if (may_differ(d.path, also)) continue;
    if (reasons.size() == kMostDifferences) {
      ++more;
      continue;
    }
    reasons.push_back(
        fmt::format("{} is {} in {} and {} in {}", d.path, value_or_absent(d.a), a.name, value_or_absent(d.b), b.name));
  }
  if (more > 0) reasons.push_back(fmt::format("{} further settings differ", more));
  return reasons;
}

bool ComparisonResult::has_errors() const {
  return std::any_of(contestants.begin(), contestants.end(),
                     [](const ContestantResult& c) { return !c.errors.empty(); });
}

bool ComparisonResult::is_tested() const {
  return std::all_of(against_first.begin(), against_first.end(), [](const Opposition& o) {
    return std::all_of(o.properties.begin(), o.properties.end(),
                       [](const PropertyPair& p) { return p.table.pairs() > 0; });
  });
}

std::variant<ComparisonResult, ContestantProblems> run_comparison(const std::vector<Contestant>& contestants,
                                                                  const SeedPlan& plan,
                                                                  const std::vector<Property>& properties,
                                                                  const StopRule& until, ChunkMemory* memory) {
  std::vector<Runners> runners(plan.threads());
  for (Runners& of_thread : runners) {
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      auto compiled = Runner::compile(contestants[c].scenario);
      if (auto* problems = std::get_if<1>(&compiled)) return ContestantProblems{c, std::move(*problems)};
      of_thread.push_back(std::move(std::get<0>(compiled)));
    }
  }
  const ComparisonPart empty(properties, contestants.size());
  const auto play = [&](std::size_t thread, SeedRange seeds) -> std::optional<ComparisonPart> {
    ComparisonPart part = empty;
    for (std::uint64_t i = 0; i < seeds.size(); ++i) {
      if (plan.stopped()) return std::nullopt;
      for (std::size_t c = 0; c < contestants.size(); ++c) {
        Runner& runner = *runners[thread][c];
        const RunResult& run = runner.run(seeds.first + i, {.full_trace = true});
        part.add(c, run, costs_of(runner.record()));
      }
    }
    return part;
  };
  const auto read = [&](const std::string& text) { return ComparisonPart::of_text(text, empty); };
  const auto is_enough = [&](const ComparisonPart& so_far) { return so_far.meets(until); };
  ComparisonPart whole = empty;
  ComparisonResult result;
  result.first_seed = plan.seeds.first;
  result.seeds = play_chunks_in_order(
      plan, whole,
      [&](std::size_t thread, const Chunk& chunk) {
        return remembered(
            memory, chunk.seeds, [&] { return play(thread, chunk.seeds); },
            [](const auto& part) { return part.text(); }, read);
      },
      is_enough);
  result.is_enough = is_enough(whole);
  result.interrupted = result.seeds < plan.seeds.size() && !result.is_enough;
  std::move(whole).finish(result);
  return result;
}

}  // namespace picklock
