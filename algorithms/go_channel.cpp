#include "algorithms/go_channel.hpp"

namespace picklock {
namespace {

// Takes a selection out of its channels, also when its task is given up.
class Enlisted {
 public:
  Enlisted(GoSelection& selection, const std::vector<GoCase*>& cases) : selection_(selection), cases_(cases) {
    for (std::size_t i = 0; i < cases_.size(); ++i) cases_[i]->enlist(selection_, i);
  }
  Enlisted(const Enlisted&) = delete;
  Enlisted& operator=(const Enlisted&) = delete;
  ~Enlisted() {
    for (GoCase* c : cases_) c->withdraw(selection_);
  }

 private:
  GoSelection& selection_;
  const std::vector<GoCase*>& cases_;
};

Task<Nothing> woken(Host, Event* event) {
  co_await event->wait();
  co_return Nothing{};
}

std::optional<MonoTime> first_due(const std::vector<GoCase*>& cases) {
  std::optional<MonoTime> first;
  for (const GoCase* c : cases) {
    const auto due = c->due();
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

}  // namespace

Task<std::size_t> go_select(Host host, std::vector<GoCase*> cases) {
  for (;;) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i]->can_go_on()) ready.push_back(i);
    }
    if (!ready.empty()) {
      std::size_t pick = 0;
      if (ready.size() > 1) {
        const Law any = Law::uniform(0, static_cast<std::int64_t>(ready.size()) - 1);
        pick = static_cast<std::size_t>(host.draw(Purpose::timer_order, any));
      }
      cases[ready[pick]]->go_on();
      co_return ready[pick];
    }
    GoSelection selection(host);
    const Enlisted enlisted(selection, cases);
    const auto due = first_due(cases);
    if (due) {
      (void)co_await with_timeout(host, woken(host, &selection.woken), *due - host.monotonic_now());
    } else {
      co_await selection.woken.wait();
    }
    if (selection.chosen) co_return *selection.chosen;
  }
}

}  // namespace picklock
