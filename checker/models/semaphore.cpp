#include "checker/models/semaphore.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "checker/models/owned_lock.hpp"

namespace picklock {

std::int64_t first_permits(const ModelContext& context) {
  if (context.initial.empty()) return context.parameter;
  std::int64_t permits = 0;
  const char* const end = context.initial.data() + context.initial.size();
  const auto [stop, error] = std::from_chars(context.initial.data(), end, permits);
  if (error != std::errc{} || stop != end || permits < 0 || permits > context.parameter) {
    throw std::invalid_argument(fmt::format("--initial: found {}, expected a number of permits from 0 to {}",
                                            context.initial, context.parameter));
  }
  return permits;
}

std::unique_ptr<Model> make_semaphore(const ModelContext& context) {
  LockRules rules;
  rules.permits = first_permits(context);
  rules.actions = kAcquireAndRelease;
  return std::make_unique<OwnedLock>(context, rules);
}

}  // namespace picklock
