#include "instruments/estimate/trajectory.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"

namespace picklock {

Scenario scenario_of(const Scenario& scenario, const Trajectory& trajectory) {
  Scenario s = scenario;
  s.reseeds.insert(s.reseeds.end(), trajectory.recipe.begin(), trajectory.recipe.end());
  s.overrides.insert(s.overrides.end(), trajectory.pinned.begin(), trajectory.pinned.end());
  return s;
}

std::string words_of(const Trajectory& trajectory) {
  std::string words;
  if (!trajectory.recipe.empty()) {
    std::vector<std::string> all;
    for (const Reseed& r : trajectory.recipe) all.push_back(fmt::format("{}:{}", to_text(r.at), r.seed));
    words += fmt::format(" --reseed {}", fmt::join(all, ","));
  }
  for (const DrawOverride& o : trajectory.pinned)
    words += " --set " + shell_word(fmt::format("draw.{}={}", o.name, o.value));
  return words;
}

std::vector<ScenarioProblem> RunnerPool::problems() {
  auto made = Runner::compile(scenario_);
  if (auto* const wrong = std::get_if<1>(&made)) return std::move(*wrong);
  give_back(std::move(std::get<0>(made)));
  return {};
}

RunnerPool::Lease RunnerPool::take() {
  {
    const std::lock_guard guard(mutex_);
    if (!idle_.empty()) {
      auto runner = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(runner)};
    }
  }
  auto made = Runner::compile(scenario_);
  PICKLOCK_CHECK(made.index() == 0);  // problems() has checked this before
  return {*this, std::move(std::get<0>(made))};
}

void RunnerPool::give_back(std::unique_ptr<Runner> runner) {
  const std::lock_guard guard(mutex_);
  idle_.push_back(std::move(runner));
}

}  // namespace picklock
