// A lock of your own, run against a scenario of the library, in your own program: how many of 1000 holders with a slow clock
// meet the next one, without a margin and with one.

#include <fmt/format.h>

#include "algorithms/redis/set_nx_px.hpp"
#include "campaigns/campaign.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

using namespace picklock;

// Like set-nx-px, but the holder stops a margin before its lease ends.
struct CautiousOptions {
  Duration margin = milliseconds(20);
  SetNxPxOptions lock;
  void fields(FieldVisitor& v) {
    v.field({.name = "margin", .help = "time by which a holder stops before its lease ends", .least = 0}, margin);
    lock.fields(v);
  }
};

class Cautious final : public SetNxPx {
 public:
  Cautious(const LockContext& context, const CautiousOptions& o) : SetNxPx(context, o.lock), margin_(o.margin) {}

 private:
  Task<Acquired> take(Hold proposed) override {
    auto taken = co_await SetNxPx::take(std::move(proposed));
    if (taken.yes()) taken.value().deadline = *taken.value().deadline - margin_;
    co_return taken;
  }
  Duration margin_;
};

int main() {
  add_lock_kind({
      .name = "cautious",
      .summary = "set-nx-px whose holder stops early",
      .source = "this example",
      .claims = {.renewing = true},
      .service = "redis",
      .ownership = "redis-key",
      .assumptions = {},
      .default_options = []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<CautiousOptions>>(); },
      .make = [](const LockContext& c, const Options& o) -> std::unique_ptr<Lock> {
        return std::make_unique<Cautious>(c, o.as<CautiousOptions>());
      },
      .lease = [](const Options& o) { return std::optional(o.as<CautiousOptions>().lock.ttl); },
  });

  // Instead of a pause: a's clock runs a tenth too slow, and a works for longer than its lease.
  const std::vector<std::string> slow_clock = {"clients.*.honours-deadline=true", "clients.a.hold=200ms",
                                               "fault[0].kind=clock-drift", "fault[0].on=a acquires",
                                               "fault[0].ppm=-100000"};
  for (const char* margin : {"0ms", "20ms"}) {
    ScenarioFile file = load_scenario("paused_holder");
    ScenarioEdits edits{.lock = "cautious", .set = slow_clock, .without = {}};
    edits.set.push_back(fmt::format("lock.margin={}", margin));
    if (!file.ok() || !edit_scenario(file.scenario, edits).errors.empty()) return 2;
    const CampaignOptions options{.seeds = {1, 1000}, .jobs = 2, .raw = true, .progress = {}};
    const auto outcome = run_campaign(file.scenario, options);
    const auto* result = std::get_if<CampaignResult>(&outcome);
    if (result == nullptr) return 2;
    for (const PropertySummary& p : result->properties) {
      if (p.property != Property::mutual_exclusion) continue;
      fmt::print("margin {:>4}: {} violated in {} of {} runs\n", margin, info(p.property).name,
                 p.tally.count(Verdict::violated), result->runs);
    }
  }
}
