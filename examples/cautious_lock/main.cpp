// A lock of your own, run against a scenario of the library, in your own program.

#include <fmt/format.h>

#include "algorithms/redis/set_nx_px.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

using namespace picklock;

// Like set-nx-px, but the holder stops a margin before its lease ends.
struct CautiousOptions {
  Duration margin = milliseconds(20);
  SetNxPxOptions lock;
  void fields(FieldVisitor& v) {
    v.field({.name = "margin", .help = "stops so long before the lease ends", .least = 0}, margin);
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

  ScenarioFile file = load_scenario("paused_holder");
  if (!file.ok() || set_lock(file.scenario, "cautious")) return 2;
  for (ClientSpec& c : file.scenario.clients) c.honours_deadline = true;  // and still a write gets through
  const CampaignOptions options{.seeds = {1, 1000}, .jobs = 2, .raw = true, .progress = {}};
  const auto outcome = run_campaign(file.scenario, options);
  const auto* result = std::get_if<CampaignResult>(&outcome);
  if (result == nullptr) return 2;
  for (const PropertySummary& p : result->properties) {
    fmt::print("{:<21} violated in {} of {} runs\n", info(p.property).name, p.tally.count(Verdict::violated),
               result->runs);
  }
}
