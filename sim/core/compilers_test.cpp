// Canaries: the spellings of coroutines that this project relies on, each with what it must do.
//
// g++ 12.2 destroys some temporaries of a co_await expression twice (aggregates, capturing lambdas, and what
// `c ? a : T()` makes or does not make), drops branches directly on `co_await task()`, and clang 14 and g++ 12 lose
// tail calls.  The house avoids those spellings; these tests sound the alarm if a compiler breaks one that it uses.

#include <gtest/gtest.h>

#include <memory>

#include "sim/core/world_lab.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;
using testing::Probe;

// Runs a coroutine in a world of its own; all that it made must be gone afterwards.
template <class F>
void run(F make) {
  Probe::live = 0;
  {
    Lab lab;
    const NodeId n = lab.world.nodes.add("n");
    lab.world.tasks.start(n, "main", make(lab.world.host(n)));
    EXPECT_EQ(lab.run(), RunEnd::quiescent);
    EXPECT_EQ(lab.world.tasks.alive(), 0u);
    EXPECT_EQ(lab.world.tasks.arena().live(), 0u);
  }
  EXPECT_EQ(Probe::live, 0);
}

struct Aggregate {
  std::string text;
  Probe probe;
};
class Constructed {
 public:
  explicit Constructed(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Probe probe_;
};

Task<std::size_t> length_of(Host host, Aggregate a) {
  co_await host.sleep(ms(1));
  co_return a.text.size();
}
Task<std::size_t> length_of(Host host, Constructed c) {
  co_await host.sleep(ms(1));
  co_return c.text().size();
}
Task<bool> yes_or_no(Host, bool b) { co_return b; }
Task<int> number(Host host, int n) {
  co_await host.sleep(ms(1));
  co_return n;
}

Task<void> named_aggregate(Host host, std::size_t* out) {
  const Aggregate a{std::string(100, 'a'), {}};
  const auto length = co_await length_of(host, a);
  *out = length;
}
TEST(Canary, AnAggregateIsNamedFirst) {
  std::size_t out = 0;
  run([&](Host h) { return named_aggregate(h, &out); });
  EXPECT_EQ(out, 100u);
}

Task<void> temporary_with_constructor(Host host, std::size_t* out) {
  const auto length = co_await length_of(host, Constructed(std::string(100, 'a')));
  *out = length;
}
TEST(Canary, ATemporaryHasAConstructor) {
  std::size_t out = 0;
  run([&](Host h) { return temporary_with_constructor(h, &out); });
  EXPECT_EQ(out, 100u);
}

// f(host, slow ? given : std::string(60, 's')) would destroy the temporary also when it was not made.
Task<std::size_t> length_of_text(Host host, std::string text, Probe) {
  co_await host.sleep(ms(1));
  co_return text.size();
}
Task<void> chooses_first(Host host, bool given, std::size_t* out) {
  const std::string a(40, 'a');
  const std::string chosen = given ? a : std::string(60, 's');
  const Probe probe = given ? Probe() : Probe();
  const auto length = co_await length_of_text(host, chosen, probe);
  *out = length;
}
TEST(Canary, WhatACallIsGivenIsChosenBeforeIt) {
  std::size_t out = 0;
  run([&](Host h) { return chooses_first(h, false, &out); });
  EXPECT_EQ(out, 60u);
  run([&](Host h) { return chooses_first(h, true, &out); });
  EXPECT_EQ(out, 40u);
}

Task<void> branch_on_named(Host host, int* out) {
  const auto yes = co_await yes_or_no(host, true);
  if (yes) *out += 1;
  const auto no = co_await yes_or_no(host, false);
  if (no) *out += 10;
  for (int i = 0;; ++i) {
    const auto goes_on = co_await yes_or_no(host, i < 3);
    if (!goes_on) break;
    *out += 100;
  }
  const auto which = co_await number(host, 2);
  switch (which) {
    case 2:
      *out += 1000;
      break;
    default:
      *out += 5000;
      break;
  }
}
TEST(Canary, AResultIsNamedBeforeItIsBranchedOn) {
  int out = 0;
  run([&](Host h) { return branch_on_named(h, &out); });
  EXPECT_EQ(out, 1301);
}

Task<void> returns_early(Host host, int* out) {
  Probe p;
  for (int i = 0; i < 10; ++i) {
    Probe q;
    const auto n = co_await number(host, i);
    if (n == 3) co_return;
    *out += 1;
  }
  *out = -1;
}
TEST(Canary, ReturningFromALoopDestroysLocals) {
  int out = 0;
  run([&](Host h) { return returns_early(h, &out); });
  EXPECT_EQ(out, 3);
}

Task<std::unique_ptr<Probe>> moves_out(Host host) {
  auto p = std::make_unique<Probe>();
  co_await host.sleep(ms(1));
  co_return p;
}
Task<void> takes_over(Host host, bool* out) {
  auto p = co_await moves_out(host);
  *out = p != nullptr;
}
TEST(Canary, AMoveOnlyResult) {
  bool out = false;
  run([&](Host h) { return takes_over(h, &out); });
  EXPECT_TRUE(out);
}

Task<std::optional<Outcome<std::string>>> rich_result(Host host, bool yes) {
  co_await host.sleep(ms(1));
  if (yes) co_return Outcome<std::string>::of(std::string(50, 'y'));
  co_return std::nullopt;
}
Task<void> uses_rich_result(Host host, std::size_t* out) {
  const auto some = co_await rich_result(host, true);
  const auto none = co_await rich_result(host, false);
  *out = some.has_value() && !none.has_value() ? some->value().size() : 0;
}
TEST(Canary, ReturningOneTypeForAnother) {
  std::size_t out = 0;
  run([&](Host h) { return uses_rich_result(h, &out); });
  EXPECT_EQ(out, 50u);
}

// A member coroutine finds its host in its object.
class Worker {
 public:
  explicit Worker(Host host) : host_(host) {}
  const Host& host() const { return host_; }
  Task<int> work(std::string by_value, const Probe& by_reference) {
    for (int i = 0; i < 3; ++i) {
      const int n = co_await step(i);
      sum_ += n;
    }
    co_return sum_ + static_cast<int>(by_value.size() + by_reference.heap.size());
  }

 private:
  Task<int> step(int n) const {
    co_await host_.sleep(ms(1));
    co_return n;
  }
  Host host_;
  int sum_ = 0;
};
Task<void> uses_worker(Host host, int* out) {
  Worker worker(host);
  const Probe outlives;
  const int n = co_await worker.work(std::string(30, 'w'), outlives);
  *out = n;
}
TEST(Canary, MemberCoroutines) {
  int out = 0;
  run([&](Host h) { return uses_worker(h, &out); });
  EXPECT_EQ(out, 3 + 30 + 40);
}

struct Base {
  virtual ~Base() = default;
  virtual Task<int> value(Probe p) = 0;
};
struct Derived final : Base {
  explicit Derived(Host h) : host_(h) {}
  const Host& host() const { return host_; }
  Task<int> value(Probe p) override {
    co_await host_.sleep(ms(1));
    co_return static_cast<int>(p.heap.size());
  }
  Host host_;
};
Task<void> uses_virtual(Host host, int* out) {
  const std::unique_ptr<Base> base = std::make_unique<Derived>(host);
  const int n = co_await base->value(Probe());
  *out = n;
}
TEST(Canary, VirtualCoroutinesWithATemporaryArgument) {
  int out = 0;
  run([&](Host h) { return uses_virtual(h, &out); });
  EXPECT_EQ(out, 40);
}

Task<void> loops(Host host, std::string* out) {
  const std::vector<std::string> words = {"a", std::string(40, 'b'), "c"};
  for (const auto& word : words) {
    co_await host.sleep(ms(1));
    *out += word.front();
  }
  {
    Probe scoped;
    co_await host.sleep(ms(1));
    *out += Probe::live == 1 ? '+' : '-';
  }
  *out += Probe::live == 0 ? '+' : '-';
}
TEST(Canary, RangeForAndScopes) {
  std::string out;
  run([&](Host h) { return loops(h, &out); });
  EXPECT_EQ(out, "abc++");
}

// A lambda without captures whose coroutine takes all it needs as parameters.
Task<void> uses_lambda(Host host, int* out) {
  const auto twice = [](Host h, int n, Probe) -> Task<int> {
    co_await h.sleep(ms(1));
    co_return n * 2;
  };
  const int n = co_await twice(host, 21, Probe());
  *out = n;
}
TEST(Canary, LambdasWithoutCaptures) {
  int out = 0;
  run([&](Host h) { return uses_lambda(h, &out); });
  EXPECT_EQ(out, 42);
}

// An awaiter with a destructor, never copied, made in the co_await expression itself.
class Counting {
 public:
  Counting(Host host, std::string text) : host_(host), text_(std::move(text)) {}
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(host_.runtime(), host_.runtime().wait_until(host_.node(), me, host_.monotonic_now() + ms(1), "x"));
  }
  std::string await_resume() { return std::move(text_); }

 private:
  Host host_;
  std::string text_;
  Probe probe_;
  OwnedWait wait_;
};
Task<void> uses_awaiter(Host host, std::string* out) {
  const auto text = co_await Counting(host, std::string(60, 't'));
  *out = text;
}
TEST(Canary, AnAwaiterThatIsATemporary) {
  std::string out;
  run([&](Host h) { return uses_awaiter(h, &out); });
  EXPECT_EQ(out, std::string(60, 't'));
}

// A verb that hands back one of two tasks, as the locks do.
Task<int> chosen(Host host, bool slow) { return slow ? number(host, 1) : number(host, 2); }
Task<void> uses_forwarder(Host host, int* out) {
  const int a = co_await chosen(host, true);
  const int b = co_await chosen(host, false);
  *out = a * 10 + b;
}
TEST(Canary, AFunctionThatPassesATaskOn) {
  int out = 0;
  run([&](Host h) { return uses_forwarder(h, &out); });
  EXPECT_EQ(out, 12);
}

}  // namespace
}  // namespace picklock
