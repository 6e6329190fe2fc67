#include "bridge/real_time.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bridge/free_host.hpp"
#include "sim/core/pace.hpp"

namespace picklock {

std::vector<FreeHost*> programs_that_run();

namespace {

class RealTime final : public Pace {
 public:
  void begin() override {
    begun_ = false;
    lateness_ = {};
  }
  TrueTime wait(TrueTime until) override;
  void exchange(World& world) override {
    for (FreeHost* const program : programs_that_run()) program->exchange(world);
  }
  void end() override {
    for (FreeHost* const program : programs_that_run()) program->end();
  }
  Duration lateness() const override { return lateness_; }
  Duration worst() const { return worst_; }
  bool has_begun() const { return begun_; }

 private:
  using Steady = std::chrono::steady_clock;
  TrueTime now() const {
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - start_).count()};
  }
  void note_lateness(std::int64_t ns) {
    lateness_.ns = std::max(lateness_.ns, ns);
    worst_.ns = std::max(worst_.ns, ns);
  }

  bool begun_ = false;
  Steady::time_point start_;
  TrueTime left_;  // when the world last began to work
  Duration lateness_, worst_;
};

TrueTime RealTime::wait(TrueTime until) {
  if (!begun_) {  // starts of programs took no time of the run
    begun_ = true;
    start_ = Steady::now();
  } else {
    note_lateness(now().ns - left_.ns);  // meanwhile nothing was heard
  }
  while (true) {
    left_ = now();
    if (left_ >= until) break;
    std::vector<FreeHost*> owners;
    std::vector<pollfd> descriptors;
    for (FreeHost* const program : programs_that_run()) {
      program->poll_for(descriptors);
      owners.resize(descriptors.size(), program);
    }
    constexpr std::int64_t kLongest = 3'600'000'000'000;  // a wait without end is looked at again
    const std::int64_t left = std::min(until.ns - left_.ns, kLongest);
    const timespec limit{left / 1'000'000'000, left % 1'000'000'000};
    const int found = ::ppoll(descriptors.data(), descriptors.size(), &limit, nullptr);
    left_ = now();
    if (found <= 0) continue;
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      if (descriptors[i].revents != 0) owners[i]->has_news();
    }
    return left_;
  }
  note_lateness(left_.ns - until.ns);
  return left_;
}

RealTime& real_time() {
  static RealTime only;
  return only;
}

}  // namespace

void play_programs_in_real_time() { set_pace(&real_time()); }
Duration worst_lateness_in_real_time() { return real_time().worst(); }
bool programs_run_in_real_time() { return pace() != nullptr; }
std::unique_ptr<ProgramHost> program_in_real_time(const std::string& command,
                                                  const std::vector<ProgramServer>& servers) {
  // A start takes longer than many a scenario: those for the probe and for a restart are made before the run's first instant.
  constexpr std::size_t kSpares = 2;
  static std::vector<std::unique_ptr<FreeHost>> spares;
  const auto fits = [&](const auto& s) { return s->command() == command && s->servers().size() == servers.size(); };
  auto spare = std::find_if(spares.begin(), spares.end(), fits);
  std::unique_ptr<FreeHost> taken;
  if (real_time().has_begun() && spare != spares.end()) {
    taken = std::move(*spare);
    spares.erase(spare);
  } else {
    taken = std::make_unique<FreeHost>(command, servers);
  }
  taken->hear_greeting();
  if (!real_time().has_begun()) {
    std::erase_if(spares, [&](const auto& s) { return !fits(s); });
    while (spares.size() < kSpares) spares.push_back(std::make_unique<FreeHost>(command, servers));
  }
  return taken;
}

}  // namespace picklock
