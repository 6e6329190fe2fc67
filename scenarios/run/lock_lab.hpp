// A lock for tests of the runner: reentrant, over several names, freed by force.
//
// One SET NX PX for each name, in their order; what was taken is given back if one is refused.
#pragma once

#include "algorithms/lock.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {

struct LabLockOptions {
  Duration ttl = milliseconds(500);
  Duration retry = milliseconds(5);
  void fields(FieldVisitor& v) {
    v.field({.name = "ttl", .help = "lease", .least = 1'000'000}, ttl);
    v.field({.name = "retry", .help = "pause", .least = 1'000}, retry);
  }
};

class LabLock final : public Lock {
 public:
  LabLock(const LockContext& context, LabLockOptions options)
      : Lock(context.host), redis_(context.get<RedisServers>()[0]), options_(options) {
    for (const std::string_view name : context.all_names()) names_.emplace_back(name);
    value_ = std::string("thread-") + std::to_string(context.thread);
  }

  Task<Acquired> acquire(Patience patience) override {
    if (count_ > 0) {
      ++count_;
      co_return Acquired::of(Hold(value_));
    }
    while (!patience.over()) {
      std::size_t taken = 0;
      for (; taken < names_.size(); ++taken) {
        const auto set = co_await redis_.set_nx_px(names_[taken], value_, options_.ttl);
        if (!set.yes()) break;
      }
      if (taken == names_.size()) {
        count_ = 1;
        co_return Acquired::of(Hold(value_));
      }
      while (taken > 0) {
        const auto undone = co_await redis_.del(names_[--taken]);
        (void)undone;
      }
      co_await patience.pause(options_.retry);
    }
    co_return patience.exhausted();
  }

  Task<Outcome<>> release(Hold) override {
    if (--count_ > 0) co_return Outcome<>::of(Nothing{});
    for (std::size_t i = names_.size(); i-- > 0;) {
      const auto deleted = co_await redis_.del(names_[i]);
      (void)deleted;
    }
    co_return Outcome<>::of(Nothing{});
  }

  Task<Outcome<>> force_release() override {
    bool any = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto deleted = co_await redis_.del(names_[i]);
      any = any || deleted.yes();
    }
    if (any) co_return Outcome<>::of(Nothing{});
    co_return Outcome<>::refusal();
  }

 private:
  Redis redis_;
  LabLockOptions options_;
  std::vector<std::string> names_;
  std::string value_;
  int count_ = 0;
};

inline void add_lab_lock() {
  static const LockKind kKind{
      .name = "test-lock",
      .summary = "a lock for tests",
      .source = "this test",
      .claims = {.reentrant = true},
      .service = "redis",
      .ownership = "redis-key",
      .assumptions = {},
      .several_names = true,
      .default_options = [] { return std::unique_ptr<Options>(std::make_unique<OptionsOf<LabLockOptions>>()); },
      .make =
          [](const LockContext& context, const Options& options) {
            return std::unique_ptr<Lock>(std::make_unique<LabLock>(context, options.as<LabLockOptions>()));
          },
      .lease = [](const Options& options) { return std::optional(options.as<LabLockOptions>().ttl); }};
  (void)add_lock_kind(kKind);
}

}  // namespace picklock
