#include "instruments/estimate/conditional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "base/hash.hpp"
#include "base/law_tail.hpp"
#include "base/text.hpp"
#include "campaigns/in_parallel.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kSearchSeeds = 4;
constexpr std::uint64_t kExtreme = 18'447;  // number of 2^64 patterns: a tail of 1e-15
constexpr int kProbes = 4;                  // random values that hold the bisection against the outcome, for each seed
constexpr std::uint64_t kCloseEnough =
    1 << 20;  // bisection ends when its ends differ in less than this part of their tail

double share(std::uint64_t patterns) { return std::ldexp(static_cast<double>(patterns), -64); }

// P(value >= x).
double share_from(const Law& law, std::int64_t x) {
  const std::uint64_t patterns = patterns_above(law, x - 1);
  return patterns == ~std::uint64_t{0} ? 1 : share(patterns);
}

std::int64_t least_of(const Law& law) { return law.kind() == Law::Kind::exponential ? 0 : law.low(); }

// The run's draws from laws that vary, first draws only.
std::vector<RecordedDraw> drawn_in(const RunRecord& record) {
  std::vector<RecordedDraw> all = record.draws;
  std::erase_if(all, [](const RecordedDraw& d) { return d.law.kind() == Law::Kind::constant || d.again; });
  return all;
}

// One seed, and one draw that is set to other values.
class Pinned {
 public:
  Pinned(Runner& runner, const ConditionalOptions& options, std::uint64_t seed, std::string draw, Effort& effort,
         std::string& error)
      : runner_(runner), options_(options), seed_(seed), effort_(effort), error_(error) {
    changes_.overrides = {{std::move(draw), 0}};
  }
  bool violates_at(std::int64_t value) {
    changes_.overrides.front().value = value;
    const RunResult& r = runner_.run(seed_, {}, changes_);
    effort_.add(r);
    if (!r.error.empty()) error_ = r.error;
    return violates(r, options_.property);
  }

 private:
  Runner& runner_;
  const ConditionalOptions& options_;
  const std::uint64_t seed_;
  DrawChanges changes_;
  Effort& effort_;
  std::string& error_;
};

// Answer of one seed.
struct Answer {
  double value = 0;
  std::optional<std::int64_t> edge;  // the outcome is another from here on
  bool falling = false, absent = false;
  std::optional<std::pair<std::int64_t, std::int64_t>> contradiction;  // violated, and another held, on the wrong sides
  std::string law;
  Effort effort;
  std::string error;
};

// The least value, in (held, other], from which on the outcome is that of `other`: exactly, or as exactly as tells.
std::int64_t bisect(Pinned& run, const Law& law, std::int64_t low, std::int64_t high, bool violated_high) {
  while (high - low > 1) {
    const std::uint64_t more = patterns_above(law, low), less = patterns_above(law, high - 1);
    if (more - less <= more / kCloseEnough) break;
    const std::int64_t middle = low + (high - low) / 2;
    (run.violates_at(middle) == violated_high ? high : low) = middle;
  }
  return high;
}

// A value from anywhere in the law, the far tail as likely as the middle.
std::int64_t anywhere(const Law& law, std::uint64_t bits) {
  const std::uint64_t patterns = ~std::uint64_t{0} >> (bits % 50);
  return value_reached_by(law, std::max<std::uint64_t>(1, patterns - mix(bits) % (patterns / 2 + 1)));
}

Answer ask(Runner& runner, const ConditionalOptions& options, const std::string& draw, std::uint64_t seed) {
  Answer answer;
  const RunResult& plain = runner.run(seed, {.full_trace = false, .draws = true});
  answer.effort.add(plain);
  answer.error = plain.error;
  const std::vector<RecordedDraw> drawn = drawn_in(runner.record());
  const auto found = std::find_if(drawn.begin(), drawn.end(), [&](const RecordedDraw& d) { return d.name == draw; });
  if (found == drawn.end()) {
    answer.absent = true;
    answer.value = violates(plain, options.property) ? 1 : 0;
    return answer;
  }
  const Law& law = found->law;
  answer.law = to_text(law);
  Pinned run(runner, options, seed, draw, answer.effort, answer.error);
  const std::int64_t low = least_of(law), high = law.high();
  const bool at_low = run.violates_at(low), at_high = run.violates_at(high);
  if (at_low != at_high) {
    answer.falling = at_low;
    answer.edge = bisect(run, law, low, high, at_high);
    answer.value = at_high ? share_from(law, *answer.edge) : 1 - share_from(law, *answer.edge);
  } else {
    answer.value = at_low ? 1 : 0;
  }
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const std::int64_t x = anywhere(law, mix(mix(seed, i), std::uint64_t{0x70726f62}));
    const bool expected = answer.edge ? (x >= *answer.edge) == at_high : at_low;
    // Between the ends of a bisection that was close enough nothing is known.
    const bool close = answer.edge && share_from(law, x) <= share_from(law, *answer.edge) * (1 + 2.0 / kCloseEnough) &&
                       share_from(law, x) >= share_from(law, *answer.edge) * (1 - 2.0 / kCloseEnough);
    if (!close && run.violates_at(x) != expected) {
      answer.contradiction =
          expected ? std::pair(answer.edge.value_or(low), x) : std::pair(x, answer.edge.value_or(low));
      return answer;
    }
  }
  return answer;
}

}  // namespace

Deciders find_deciders(RunnerPool& pool, const ConditionalOptions& options, std::uint64_t most_runs) {
  Deciders result;
  std::map<std::string, std::uint64_t> in_runs;  // number of seeds whose run makes the draw
  std::set<std::string> deciders;
  for (std::uint64_t seed = options.seed; seed < options.seed + kSearchSeeds; ++seed) {
    std::vector<RecordedDraw> drawn;
    {
      const auto runner = pool.take();
      const RunResult& r = runner->run(seed, {.full_trace = false, .draws = true});
      result.effort.add(r);
      if (!r.error.empty()) result.error = r.error;
      if (violates(r, options.property)) continue;  // every draw decides here
      drawn = drawn_in(runner->record());
    }
    for (const RecordedDraw& d : drawn) ++in_runs[d.name];
    if (result.tried + 2 * drawn.size() > most_runs) {
      result.too_many = true;
      return result;
    }
    result.tried += drawn.size();
    std::mutex mutex;
    in_parallel(drawn.size(), options.jobs, [&](std::size_t i) {
      if (options.stop != nullptr && *options.stop) return;
      const Law& law = drawn[i].law;
      const auto runner = pool.take();
      Effort effort;
      std::string error;
      Pinned run(*runner, options, seed, drawn[i].name, effort, error);
      const bool decides = run.violates_at(value_reached_by(law, kExtreme)) || run.violates_at(least_of(law));
      const std::lock_guard guard(mutex);
      result.effort += effort;
      result.error = std::max(result.error, error);
      if (decides) deciders.insert(drawn[i].name);
    });
  }
  result.names.assign(deciders.begin(), deciders.end());
  const auto seeds =
      in_runs.empty() ? 0 : std::max_element(in_runs.begin(), in_runs.end(), [](const auto& a, const auto& b) {
                              return a.second < b.second;
                            })->second;
  for (const std::string& name : result.names) {
    if (in_runs[name] < seeds) result.not_in_all.push_back(name);
  }
  return result;
}

Conditional estimate_by_condition(RunnerPool& pool, const std::string& draw, const ConditionalOptions& options) {
  Conditional result;
  result.draw = draw;
  std::vector<Answer> answers(options.samples);
  std::mutex mutex;
  std::uint64_t done = 0;
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  in_parallel(answers.size(), options.jobs, [&](std::size_t i) {
    if (stopped()) return;
    answers[i] = ask(*pool.take(), options, draw, options.seed + i);
    const std::lock_guard guard(mutex);
    if (options.progress) options.progress(++done, options.samples);
  });
  if (stopped()) return result;
  std::size_t most = 0;
  bool rising = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& a = answers[i];
    const std::uint64_t seed = options.seed + i;
    result.effort += a.effort;
    if (result.error.empty()) result.error = a.error;
    result.values.push_back(a.value);
    result.absent += a.absent;
    if (result.law.empty()) result.law = a.law;
    if (a.value > answers[most].value) most = i;
    if (a.contradiction && result.refusal.empty()) {
      result.refusal = fmt::format(
          "no monotone draw: with seed {} {} = {} ns violates, and {} ns does not, on the other side of the edge", seed,
          draw, a.contradiction->first, a.contradiction->second);
    }
    if (!a.edge) continue;
    const bool first = !rising && !result.falling;
    result.least = first ? *a.edge : std::min(result.least, *a.edge);
    result.greatest = first ? *a.edge : std::max(result.greatest, *a.edge);
    (a.falling ? result.falling : rising) = true;
  }
  if (!result.refusal.empty()) return result;
  if (result.absent == answers.size()) {
    result.refusal = fmt::format("no run draws {}", draw);
  } else if (rising && result.falling) {
    result.refusal =
        fmt::format("no monotone draw: with some seeds large values of {} violate, with others small ones", draw);
  } else if (!rising && !result.falling) {
    result.refusal = fmt::format("{} never decides: each of {} seeds ends the same at both ends of {}", draw,
                                 answers.size(), result.law.empty() ? "its law" : result.law);
  } else if (answers[most].edge) {
    const std::int64_t edge = *answers[most].edge;
    result.rare = Trajectory{options.seed + most, {}, {{draw, result.falling ? edge - 1 : edge}}};
  }
  return result;
}

}  // namespace picklock
