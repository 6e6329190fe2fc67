#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace picklock {
namespace {

std::atomic<bool> interrupted{false};
// A second one ends the program at once.
extern "C" void on_interrupt(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGUSR1};

}  // namespace

ProgressBar::ProgressBar() : on_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (visible_) fmt::print(stderr, "\r{:100}\r", "");
}

void ProgressBar::show(std::uint64_t done, std::uint64_t all, const char* what) {
  constexpr std::chrono::milliseconds kQuietAtFirst{500}, kBetween{100};
  const Clock::time_point now = Clock::now();
  if (!on_terminal_ || now - start_ < kQuietAtFirst || (now - shown_ < kBetween && done < all)) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  constexpr std::uint64_t kWidth = 40;
  if (all == 0) {  // the total is unknown
    fmt::print(stderr, "\r{} {}, {:.0f}/s        ", done, what, static_cast<double>(done) / seconds);
    std::fflush(stderr);
    visible_ = true;
    return;
  }
  const std::uint64_t filled = kWidth * done / std::max<std::uint64_t>(all, 1);
  fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {} of {} {}, {:.0f}/s ", "", filled, "", kWidth - filled, done, all, what,
             static_cast<double>(done) / seconds);
  std::fflush(stderr);
  visible_ = true;
}

Interruptible::Interruptible() {
  for (const int signal : kSignals) std::signal(signal, on_interrupt);
}

Interruptible::~Interruptible() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

const std::atomic<bool>& Interruptible::stop() const { return interrupted; }

}  // namespace picklock
