#include "algorithms/redis/renewal.hpp"

#include "base/fnv.hpp"

namespace picklock {
namespace {

enum class At : std::uint64_t { sleeping = 1, renewing = 2 };

// All that the future of the task depends on, beside its timer and its request under way.
std::uint64_t state_of(At at, const Hold& hold) {
  const char where = static_cast<char>(at);
  return fnv1a({&where, 1}, fnv1a(hold.value));
}

}  // namespace

void Renewal::begin(const Hold& hold, Duration interval) {
  ++tenure_;
  lost_.clear();
  host().spawn("renewal", run(hold, tenure_, interval));
}

void Renewal::end() {
  ++tenure_;
  over_.notify();
}

Task<void> Renewal::run(Hold hold, std::uint32_t tenure, Duration interval) {
  while (tenure == tenure_) {
    host().announce_deadline(DeadlineKind::renewal, host().monotonic_now() + interval);
    host().declare_state(state_of(At::sleeping, hold));
    const auto ended = co_await with_timeout(host(), end_of_tenure(), interval);
    if (ended) co_return;

    host().declare_state(state_of(At::renewing, hold));
    co_await host().pass(mark::renews);
    const auto extended = co_await lock_.extend(hold);
    if (tenure != tenure_) co_return;  // released meanwhile
    if (extended.why() == Why::refused && if_refused_ == IfRefused::stop_and_tell) {
      lost_.set();
      co_return;
    }
  }
}

Task<Nothing> Renewal::end_of_tenure() {
  co_await over_.wait();
  co_return Nothing{};
}

}  // namespace picklock
