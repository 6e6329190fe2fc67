#include "algorithms/redlock/node_redlock_5.hpp"

#include "algorithms/redlock/node_redlock_4.hpp"

namespace picklock {

using What = BallotQuestion::What;

namespace {

// using() has a task of its own.
RedlockOptions without_renewal(RedlockOptions options) {
  options.renewal = false;
  return options;
}

}  // namespace

NodeRedlock5Options::NodeRedlock5Options() {
  node_timeout = kTcpGivesUp;
  attempts = 11;
  retry = Law::uniform(milliseconds(100), milliseconds(300));
  extensions = 0;
}

void NodeRedlock5Options::fields(FieldVisitor& v) {
  terms(v);
  v.field({.name = "release", .help = "release of the library"}, release);
  v.field({.name = "settles-on-tie", .help = "give up once all servers have voted and neither side has a majority"},
          settles_on_tie);
  v.field({.name = "release-failed", .help = "servers at which a failed attempt is undone before the next one"},
          release_failed);
  v.field({.name = "renewal", .help = "the client works in using(), which extends the hold"}, renewal);
  v.field(
      {.name = "extension-threshold", .help = "time before the end of a lease at which using() extends it", .least = 1},
      extension_threshold);
}

NodeRedlock5::NodeRedlock5(const LockContext& context, const NodeRedlock5Options& options)
    : Redlock(context, without_renewal(options)),
      options_(options),
      lost_(context.host, "loss of the lock"),
      over_(context.host, "end of the routine"),
      extension_ended_(context.host, "end of the extension") {}

Hold NodeRedlock5::propose(std::int64_t attempt) {
  if (attempt == 1) {
    called_ = read_clock();
    value_of_call_ = Redlock::propose(attempt).value;
  }
  return Hold(value_of_call_);
}

BallotRules NodeRedlock5::rules(What) const {
  return {.contact = options_.contact,
          .in_favour = quorum(),
          .others = quorum(),
          .settles_on_tie = options_.settles_on_tie};
}

Redlock::Instant NodeRedlock5::counted_from(Instant attempt) const {
  return options_.release == NodeRedlock5Release::main ? attempt : called_;
}

// --- acquire

Task<Acquired> NodeRedlock5::acquire(Patience patience) {
  const Acquired tried = co_await Redlock::acquire(patience);
  if (!tried.yes()) (void)co_await ask(What::release, value_of_call_);
  co_return tried;
}

Task<Acquired> NodeRedlock5::attempt(Hold hold) {
  const Instant asked = read_clock();
  const Ballot ballot = co_await ask(What::set, hold.value);
  if (has_quorum(ballot)) {
    const Acquired entered = co_await enter(hold, ballot, validity_since(counted_from(asked)));
    lost_.clear();
    ++tenure_;
    if (options_.renewal) host_.spawn("renewal", extend_in_time(entered.value(), tenure_));
    co_return entered;
  }
  const bool undone = co_await undo_where(options_.release_failed, hold, ballot);
  co_return undone ? Acquired::refusal() : Acquired::unknown_because(Why::timed_out);
}

// --- extend

Task<Outcome<MonoTime>> NodeRedlock5::extend(Hold hold) {
  if (expired(hold)) co_return Outcome<MonoTime>::refusal();
  called_ = read_clock();
  for (std::int64_t n = 1;; ++n) {
    const Instant asked = read_clock();
    const Ballot ballot = co_await ask(What::prolong, hold.value);
    const Duration left = validity_since(counted_from(asked));
    if (has_quorum(ballot)) co_return extended(hold, left);
    if (n == options_.attempts) co_return not_extended(ballot, left);
    co_await host_.sleep(retry_delay());
  }
}

Task<void> NodeRedlock5::extend_in_time(Hold hold, std::uint32_t tenure) {
  while (tenure == tenure_) {
    const MonoTime due = *deadline(hold) - options_.extension_threshold;
    host_.announce_deadline(DeadlineKind::renewal, due);
    const auto ended = co_await with_timeout(host_, end_of_routine(), due - host_.monotonic_now());
    if (ended) co_return;
    extending_ = true;
    bool extends = true;
    while (extends && tenure == tenure_) {
      co_await host_.pass(mark::renews);
      const auto extended = co_await extend(hold);
      if (extended.yes()) {
        extends = false;
      } else if (expired(hold)) {
        lost_.set();
        break;
      }
    }
    extending_ = false;
    extension_ended_.notify();
    if (extends) co_return;
  }
}

Task<Nothing> NodeRedlock5::end_of_routine() {
  co_await over_.wait();
  co_return Nothing{};
}

// --- release

Task<Outcome<>> NodeRedlock5::release(Hold hold) {
  ++tenure_;
  over_.notify();
  while (extending_) co_await extension_ended_.wait();
  for (std::int64_t n = 1;; ++n) {
    const Ballot ballot = co_await ask(What::release, hold.value);
    const Outcome<> released = released_by_majority(ballot);
    if (released.yes() || n == options_.attempts) co_return released;
    co_await host_.sleep(retry_delay());
  }
}

}  // namespace picklock
