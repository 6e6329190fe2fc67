#include "campaigns/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/hash.hpp"
#include "campaigns/cell_json.hpp"
#include "checker/properties/instant.hpp"
#include "scenarios/run/costs.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

constexpr std::size_t kErrorsKept = 10;

char letter_of(const TableVerdict& outcome) {
  switch (outcome.verdict) {
    case Verdict::holds:
      return 'h';
    case Verdict::violated:
      return 'v';
    case Verdict::undecided:
      return outcome.not_tested() ? 't' : 'u';
    case Verdict::not_applicable:
      break;
  }
  return 'n';
}

// Plays chunks of one cell in several threads, or takes them out of the memory.
class Player {
 public:
  static OrProblems<Player> of(const Scenario& scenario, const SeedPlan& plan, const std::vector<Property>& properties,
                               ChunkMemory* memory) {
    Player player;
    player.plan_ = &plan;
    player.memory_ = memory;
    for (std::size_t thread = 0; thread < plan.threads(); ++thread) {
      auto one = CellPlayer::of(scenario, properties, plan.by_seed);
      if (auto* const problems = std::get_if<1>(&one)) return std::move(*problems);
      player.threads_.push_back(std::get<0>(std::move(one)));
    }
    return player;
  }

  std::optional<CellResult> play(std::size_t thread, SeedRange seeds) {
    return remembered(
        memory_, seeds, [&] { return threads_[thread].play(seeds, *plan_); }, cell_json, read_cell_json);
  }

 private:
  const SeedPlan* plan_ = nullptr;
  std::vector<CellPlayer> threads_;
  ChunkMemory* memory_ = nullptr;
};

}  // namespace

CellPlayer::CellPlayer() = default;
CellPlayer::CellPlayer(CellPlayer&&) noexcept = default;
CellPlayer& CellPlayer::operator=(CellPlayer&&) noexcept = default;
CellPlayer::~CellPlayer() = default;

OrProblems<CellPlayer> CellPlayer::of(const Scenario& scenario, const std::vector<Property>& properties, bool by_seed) {
  auto compiled = Runner::compile(scenario);
  if (auto* const problems = std::get_if<1>(&compiled)) return std::move(*problems);
  CellPlayer player;
  player.runner_ = std::move(std::get<0>(compiled));
  player.empty_ = empty(properties);
  player.by_seed_ = by_seed;
  return player;
}

CellResult CellPlayer::empty(const std::vector<Property>& properties) {
  CellResult result;
  for (const Property p : properties) result.properties[p];
  return result;
}

CellResult CellPlayer::play(SeedRange seeds) { return *play(seeds, SeedPlan{}); }

std::optional<CellResult> CellPlayer::play(SeedRange seeds, const SeedPlan& plan) {
  CellResult part = empty_;
  for (std::uint64_t i = 0; i < seeds.size(); ++i) {
    if (plan.stopped()) return std::nullopt;
    play(seeds.first + i, part);
  }
  return part;
}

void CellPlayer::play(std::uint64_t seed, CellResult& part) {
  const RunResult& run = runner_->run(seed, {.full_trace = true});
  const Costs costs = costs_of(runner_->record());
  for (auto& [property, mine] : part.properties) {
    const TableVerdict outcome = table_verdict(run, property);
    mine.tally.add(outcome.verdict, seed);
    mine.untested.add(outcome);
    if (by_seed_) mine.by_seed += letter_of(outcome);
    if (outcome.verdict == Verdict::holds) mine.censored_at_ns.add(run.length.ns);
    if (outcome.verdict != Verdict::violated) continue;
    const Finding& finding = picklock::of(run.findings, property);
    mine.measures.add(finding.measure);
    mine.violated_at_ns.add(instant_of(finding, *run.history).value_or(run.length.ns));
  }
  picklock::add(part.faults, run.faults);
  part.unseen.add(run.unseen);
  part.asked += costs.asked;
  part.granted += costs.granted;
  part.commands += costs.commands;
  for (const std::int64_t latency : costs.latency_ns) part.latency_ns.add(latency);
  if (!run.error.empty() && part.errors.size() < kErrorsKept) part.errors.emplace(seed, run.error);
}

void CellResult::add(const CellResult& later) {
  for (const auto& [property, other] : later.properties) {
    CellProperty& mine = properties[property];
    mine.tally.add(other.tally);
    mine.untested.add(other.untested);
    mine.measures.add(other.measures);
    mine.violated_at_ns.add(other.violated_at_ns);
    mine.censored_at_ns.add(other.censored_at_ns);
  }
  picklock::add(faults, later.faults);
  asked += later.asked;
  granted += later.granted;
  commands += later.commands;
  latency_ns.add(later.latency_ns);
  unseen.add(later.unseen);
  errors.insert(later.errors.begin(), later.errors.end());
  while (errors.size() > kErrorsKept) errors.erase(std::prev(errors.end()));
}

bool CellResult::is_tested() const {
  return std::all_of(properties.begin(), properties.end(), [](const auto& p) { return p.second.tally.decided() > 0; });
}

bool CellResult::meets(const StopRule& rule) const {
  return rule.any() &&
         std::all_of(properties.begin(), properties.end(), [&](const auto& p) { return rule.is_met(p.second.tally); });
}

void ShardResult::add(const ShardResult& later) {
  chunks += later.chunks;
  seeds += later.seeds;
  errors.insert(later.errors.begin(), later.errors.end());
  while (errors.size() > kErrorsKept) errors.erase(std::prev(errors.end()));
}

OrProblems<CellResult> play_cell(const Scenario& scenario, const SeedPlan& plan,
                                 const std::vector<Property>& properties, const StopRule& until, ChunkMemory* memory) {
  auto prepared = Player::of(scenario, plan, properties, memory);
  if (auto* const problems = std::get_if<1>(&prepared)) return std::move(*problems);
  Player& player = std::get<0>(prepared);
  CellResult whole = CellPlayer::empty(properties);
  whole.seeds = play_chunks_in_order(
      plan, whole, [&](std::size_t thread, const Chunk& chunk) { return player.play(thread, chunk.seeds); },
      [&](const CellResult& so_far) { return so_far.meets(until); });
  whole.interrupted = whole.seeds < plan.seeds.size() && !whole.meets(until);
  return whole;
}

OrProblems<ShardResult> play_shard(const Scenario& scenario, const SeedPlan& plan,
                                   const std::vector<Property>& properties, const Shard& shard, std::uint64_t cell,
                                   ChunkMemory& memory) {
  auto prepared = Player::of(scenario, plan, properties, &memory);
  if (auto* const problems = std::get_if<1>(&prepared)) return std::move(*problems);
  Player& player = std::get<0>(prepared);
  const auto play = [&](std::size_t thread, const Chunk& chunk) -> std::optional<ShardResult> {
    if (!shard.has(cell, chunk)) return ShardResult{};
    const auto part = player.play(thread, chunk.seeds);
    if (!part) return std::nullopt;
    return ShardResult{1, chunk.seeds.size(), 0, part->errors};
  };
  ShardResult whole;
  whole.passed = play_chunks_in_order(plan, whole, play, [](const ShardResult&) { return false; });
  return whole;
}

OrProblems<std::uint64_t> behaviour_of(const Scenario& scenario, const std::vector<Property>& properties) {
  auto compiled = Runner::compile(scenario);
  if (auto* const problems = std::get_if<1>(&compiled)) return std::move(*problems);
  Runner& runner = *std::get<0>(compiled);
  constexpr std::uint64_t kRuns = 8;
  constexpr std::uint64_t kTexts = 2;  // the form of what is kept of a chunk
  std::uint64_t hash = mix(kGolden, kTexts);
  const auto enter = [&](std::uint64_t value) { hash = mix(hash, value); };
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const RunResult& run = runner.run(mix(i, kGolden), {.full_trace = true});
    const Costs costs = costs_of(runner.record());
    enter(run.digest);
    for (const Property property : properties) {
      const Finding& finding = of(run.findings, property);
      const TableVerdict verdict = table_verdict(run, property);
      enter(static_cast<std::uint64_t>(verdict.verdict));
      enter(static_cast<std::uint64_t>(verdict.untested));
      enter(static_cast<std::uint64_t>(finding.reason));
      enter(static_cast<std::uint64_t>(finding.measure));
    }
    for (const std::uint64_t count : {costs.asked, costs.granted, costs.commands}) enter(count);
    for (const std::int64_t latency : costs.latency_ns) enter(static_cast<std::uint64_t>(latency));
  }
  return hash;
}

}  // namespace picklock
