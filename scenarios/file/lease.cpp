#include "scenarios/file/lease.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "scenarios/file/values.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

// Gives one duration among the options a value, as near as its bounds allow.
class NearestDuration {
 public:
  NearestDuration(std::string_view name, Duration value) : name_(name), value_(value) {}
  void operator()(const FieldInfo& f, Duration& v) {
    if (f.name == name_) v = within_bounds(f);
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    if (f.name == name_) v = within_bounds(f);
  }

 private:
  Duration within_bounds(const FieldInfo& f) const { return {std::clamp(value_.ns, f.least, f.most)}; }

  std::string_view name_;
  Duration value_;
};

Duration rounded(const LeaseTerms& terms, Duration lease) {
  const std::int64_t whole = lease.ns / terms.unit.ns;
  const bool more = terms.rounds_up && whole * terms.unit.ns < lease.ns;
  return terms.unit * (whole + (more ? 1 : 0));
}

AnyOptions options_of(const LockSpec& lock, const LockKind& kind) {
  return lock.options ? lock.options : AnyOptions(kind.default_options());
}

}  // namespace

bool takes_lease(const LockSpec& lock) {
  constexpr std::string_view kLease = "lease";
  const LockKind* const kind = find_lock_kind(lock.name);
  return kind != nullptr && kind->terms.option != kLease;
}

void ask_for_lease(LockSpec& lock, Duration lease) {
  const LockKind* const kind = find_lock_kind(lock.name);
  if (kind == nullptr || kind->terms.option.empty()) return;
  if (!lock.options) lock.options = AnyOptions(kind->default_options());
  NearestDuration set(kind->terms.option, rounded(kind->terms, lease));
  visit_fields(lock.options, set);
}

void apply_on_loss(Scenario& scenario) {
  if (scenario.lock.on_loss == LockOnLoss::by_client) return;
  const bool stop = scenario.lock.on_loss == LockOnLoss::stop;
  for (ClientSpec& c : scenario.clients) {
    c.on_loss = stop ? OnLoss::stop : OnLoss::ignore;
    c.honours_deadline = stop;
  }
  const LockKind* const kind = find_lock_kind(scenario.lock.name);
  if (kind == nullptr || kind->terms.reaction.empty() || !scenario.lock.options) return;
  FieldAssigner reaction(kind->terms.reaction, stop ? kind->terms.on_stop : kind->terms.on_ignore);
  scenario.lock.options.fields(reaction);
}

Duration granted_lease(const LockKind& kind, const ServiceSettings& settings, Duration asked) {
  const Duration sent = rounded(kind.terms, asked);
  const ServiceKind* const service = find_service(kind.service);
  const bool by_servers = service != nullptr && service->granted != nullptr;
  return by_servers ? service->granted(settings, kind, sent) : sent;
}

LeaseTold lease_told(const Scenario& scenario) {
  LeaseTold told{.asked = scenario.lock.lease, .lasts = {}, .text = {}};
  const LockKind* const kind = find_lock_kind(scenario.lock.name);
  if (kind == nullptr) return told;
  const AnyOptions options = options_of(scenario.lock, *kind);
  const std::optional<Duration> lease = kind->lease(*options);
  if (!lease) {
    told.text = fmt::format("none, nothing ends a hold of {} by time", kind->name);
    if (told.asked) told.text += fmt::format("; {} asked for", to_text(*told.asked));
    return told;
  }
  const Duration sent = rounded(kind->terms, *lease);
  told.lasts = granted_lease(*kind, scenario.services, *lease);
  told.text = to_text(*told.lasts);
  if (!kind->terms.what.empty()) told.text += fmt::format(", {} ({})", kind->terms.what, kind->terms.option);
  if (told.asked && *told.asked != *told.lasts) told.text += fmt::format("; {} asked for", to_text(*told.asked));
  if (sent != *told.lasts) told.text += fmt::format("; the servers make that of {}", to_text(sent));
  return told;
}

}  // namespace picklock
