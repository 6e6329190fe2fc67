#include "checker/properties/expectation.hpp"

#include <algorithm>
#include <array>

namespace picklock {
namespace {

constexpr std::array kAllSeeds{Seeds::every, Seeds::some, Seeds::none, Seeds::any};
constexpr std::array kAllVerdicts{Verdict::holds, Verdict::violated, Verdict::undecided, Verdict::not_applicable};

// Runs that might have ended in `wanted`, had they been decided.
std::uint64_t open_runs(const Tally& tally, Verdict wanted) {
  std::uint64_t open = 0;
  for (const Verdict verdict : {Verdict::undecided, Verdict::not_applicable}) {
    if (verdict != wanted) open += tally.count(verdict);
  }
  return open;
}

Fulfilment when(bool fulfilled, bool open, Fulfilment otherwise) {
  if (fulfilled) return Fulfilment::as_expected;
  return open ? Fulfilment::undecided : otherwise;
}

}  // namespace

Fulfilment fulfilment(const Expectation& expectation, const Tally& tally) {
  const std::uint64_t runs = tally.runs();
  const std::uint64_t so = tally.count(expectation.verdict);
  const std::uint64_t open = open_runs(tally, expectation.verdict);
  switch (expectation.seeds) {
    case Seeds::every:
      if (so + open < runs) return Fulfilment::not_as_expected;
      return when(runs > 0 && open == 0, true, Fulfilment::not_as_expected);
    case Seeds::some:
      return when(so > 0, open > 0 || runs == 0, Fulfilment::not_as_expected);
    case Seeds::none:
      if (so > 0) return Fulfilment::not_as_expected;
      return when(runs > 0 && open == 0, true, Fulfilment::not_as_expected);
    case Seeds::any:
      return Fulfilment::as_expected;
  }
  return Fulfilment::undecided;
}

Fulfilment raw_verdict(const Tally& tally) {
  if (tally.count(Verdict::violated) > 0) return Fulfilment::not_as_expected;
  if (tally.count(Verdict::undecided) > 0) return Fulfilment::undecided;
  return Fulfilment::as_expected;
}

int exit_status(std::span<const Fulfilment> all) {
  const auto has = [&](Fulfilment one) { return std::find(all.begin(), all.end(), one) != all.end(); };
  if (has(Fulfilment::not_as_expected)) return 1;
  return has(Fulfilment::undecided) ? 3 : 0;
}

std::string_view name(Seeds seeds) {
  switch (seeds) {
    case Seeds::every:
      return "every";
    case Seeds::some:
      return "some";
    case Seeds::none:
      return "none";
    case Seeds::any:
      return "any";
  }
  return "";
}

std::string_view name(Fulfilment fulfilment) {
  switch (fulfilment) {
    case Fulfilment::as_expected:
      return "as expected";
    case Fulfilment::not_as_expected:
      return "not as expected";
    case Fulfilment::undecided:
      return "undecided";
  }
  return "";
}

std::optional<Seeds> find_seeds(std::string_view text) {
  for (const Seeds seeds : kAllSeeds) {
    if (name(seeds) == text) return seeds;
  }
  return std::nullopt;
}

std::optional<Verdict> find_verdict(std::string_view text) {
  for (const Verdict verdict : kAllVerdicts) {
    if (name(verdict) == text) return verdict;
  }
  return std::nullopt;
}

std::string print(const Expectation& expectation) {
  const std::string verdict(name(expectation.verdict));
  switch (expectation.seeds) {
    case Seeds::every:
      return verdict + " in every run";
    case Seeds::some:
      return verdict + " in some run";
    case Seeds::none:
      return verdict + " in no run";
    case Seeds::any:
      return "nothing";
  }
  return verdict;
}

}  // namespace picklock
