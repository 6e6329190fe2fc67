// A model of one's own, in one's own program: tickets that are handed out once each.

#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>

#include "checker/io/history_reader.hpp"
#include "checker/models/check_with.hpp"

using namespace picklock;

// `take` answers with the next number, 1, 2, …; `count` with how many are gone.
struct Tickets {
  static constexpr std::array<std::string_view, 2> functions = {"take", "count"};
  static constexpr bool anonymous = true;  // it does not matter who calls

  using State = std::int64_t;  // tickets handed out
  State initial() const { return 0; }

  std::optional<State> step(const State& gone, const Call& call) const {
    const State after = call.function == "take" ? gone + 1 : gone;
    if (!call.completed) return after;  // it crashed: its answer is unknown
    if (call.result != Value::integer(after)) return std::nullopt;
    return after;
  }
};

constexpr std::string_view kHistory = R"(
  {:process 0, :type :invoke, :f :take}
  {:process 1, :type :invoke, :f :take}
  {:process 0, :type :info,   :f :take}              ; crashed: it has ticket 1, or none
  {:process 1, :type :ok,     :f :take,  :value 2}
  {:process 2, :type :invoke, :f :count}
  {:process 2, :type :ok,     :f :count, :value 2}
)";

constexpr std::string_view kLost = R"(
  {:process 2, :type :invoke, :f :take}
  {:process 2, :type :ok,     :f :take,  :value 2}
)";

void print(const CheckResult& result) {
  constexpr std::string_view kVerdicts[] = {"valid", "invalid", "undecided"};
  std::cout << kVerdicts[static_cast<int>(result.verdict)] << ": " << result.explanation << '\n';
  if (!result.partial) return;
  std::cout << "  at first " << result.partial->initial << '\n';
  for (const PlacedOperation& placed : result.partial->placed) {
    std::cout << "  " << placed.operation << ", then " << placed.state << '\n';
  }
  for (const FailedCandidate& candidate : result.partial->candidates) {
    std::cout << "  not " << candidate.operation << ": " << candidate.why << '\n';
  }
}

int main() {
  print(check_with<Tickets>(read_history_text(kHistory)));
  print(check_with<Tickets>(read_history_text(std::string(kHistory) + std::string(kLost))));
}
