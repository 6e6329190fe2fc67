// The workloads of the table at the end: counter, register, log, set, seats.

#include <array>

#include "scenarios/workloads/etcd_set.hpp"
#include "scenarios/workloads/workload.hpp"
#include "scenarios/workloads/zookeeper_set.hpp"
#include "sim/core/world.hpp"

namespace picklock {

void record_operation(const Section& s, Function f, OperationEnd end, ResourceId resource, std::int64_t value) {
  const NodeId node = s.host.node();
  s.world.record(trace::operation, node, s.hold_id, pack_operation(f, end, s.process),
                 static_cast<std::uint64_t>(s.host.monotonic_now().ns));
  s.world.record(trace::operation_value, node, s.first_resource + resource + 1, static_cast<std::uint64_t>(value),
                 static_cast<std::uint64_t>(s.hold.token.value_or(kNoValue)));
}

void record_end(const Section& s, Function f, ResourceId resource, const Outcome<Stored>& outcome, std::int64_t value) {
  const bool swallowed = s.swallows_errors && outcome.refused() && f != Function::read;
  const OperationEnd end = outcome.yes() || swallowed ? OperationEnd::ok
                           : outcome.refused()        ? OperationEnd::failed
                                                      : OperationEnd::unknown;
  record_operation(s, f, end, resource, value);
  if (swallowed) {
    s.world.record(trace::refusal_swallowed, s.host.node(), s.hold_id, 0, s.first_resource + resource);
  }
  if (outcome.yes() && f != Function::read) {
    s.world.record(trace::write_acknowledged, s.host.node(), s.hold_id, outcome.value().version,
                   s.first_resource + resource);
  }
}

std::int64_t unique_item(const Section& s, std::int64_t n) { return static_cast<std::int64_t>(s.hold_id) * 1000 + n; }

namespace {

// Reads a number, works, writes it back plus one.
class Counter final : public Workload {
 public:
  struct Options {
    void fields(FieldVisitor&) {}
  };
  explicit Counter(const Options&) {}

  Task<void> run(Section& s) override { return body(s.host, &s); }

 private:
  static constexpr ResourceId kCounter = 0;
  static Task<void> body(Host host, Section* s) {
    const auto before = co_await recorded_read(*s, kCounter);
    co_await host.work(Purpose::hold, s->work);
    if (!before.yes()) co_return;
    const std::int64_t next = before.value().number() + 1;
    const auto written = co_await recorded_write(*s, kCounter, {&next, 1}, before.value().version);
    (void)written;
  }
};

// Writes a value of its own, works, and reads it back.
class Register final : public Workload {
 public:
  struct Options {
    void fields(FieldVisitor&) {}
  };
  explicit Register(const Options&) {}

  Task<void> run(Section& s) override { return body(s.host, &s); }

 private:
  static constexpr ResourceId kRegister = 0;
  static Task<void> body(Host host, Section* s) {
    const auto before = co_await recorded_read(*s, kRegister);
    if (!before.yes()) co_return;
    co_await host.work(Purpose::hold, s->work);
    const std::int64_t value = unique_item(*s, 0);
    const auto written = co_await recorded_write(*s, kRegister, {&value, 1}, before.value().version);
    if (!written.yes()) co_return;
    const auto after = co_await recorded_read(*s, kRegister);
    (void)after;
  }
};

// Appends a line when it begins and one when it ends: other holds' lines must not stand between.
class Log final : public Workload {
 public:
  struct Options {
    void fields(FieldVisitor&) {}
  };
  explicit Log(const Options&) {}

  Task<void> run(Section& s) override { return body(s.host, &s); }

 private:
  static constexpr ResourceId kLog = 0;
  static Task<void> body(Host host, Section* s) {
    const auto begun = co_await recorded_append(*s, kLog, unique_item(*s, 1));
    co_await host.work(Purpose::hold, s->work);
    if (begun.refused()) co_return;
    const auto ended = co_await recorded_append(*s, kLog, unique_item(*s, 2));
    (void)ended;
  }
};

// Reads a set, works, and writes it back with one item more.
class Set final : public Workload {
 public:
  struct Options {
    void fields(FieldVisitor&) {}
  };
  explicit Set(const Options&) {}

  Task<void> run(Section& s) override { return body(s.host, &s); }

 private:
  static constexpr ResourceId kSet = 0;
  static Task<void> body(Host host, Section* s) {
    auto before = co_await recorded_read(*s, kSet);
    co_await host.work(Purpose::hold, s->work);
    if (!before.yes()) co_return;
    std::vector<std::int64_t> items = std::move(before.value().items);
    items.push_back(unique_item(*s, 0));
    const auto written = co_await recorded_write(*s, kSet, items, before.value().version);
    (void)written;
  }
};

// A cinema: takes a seat, lets the customer pay (the work), and sells.  As commonly written, the lock
// is all there is: nothing records that the seat is sold, so the next holder sells it again.
// Repaired, the sale is looked up under the lock, and recorded before the lock is given back.
class Seats final : public Workload {
 public:
  struct Options {
    std::int64_t seats = 1;
    bool repaired = false;
    std::int64_t pay_percent = 100;
    void fields(FieldVisitor& v) {
      v.field({.name = "seats", .help = "number of seats to choose from", .least = 1, .most = 1000}, seats);
      v.field({.name = "pay-percent", .help = "share of the customers who pay in the end", .least = 0, .most = 100},
              pay_percent);
      v.field({.name = "repaired", .help = "true: the seller looks the sale up under the lock before selling"},
              repaired);
    }
  };
  explicit Seats(const Options& options) : options_(options) {}

  Task<void> run(Section& s) override { return body(s.host, &s, options_); }

 private:
  static Task<void> body(Host host, Section* s, Options options) {
    const Law choice = Law::uniform(std::int64_t{0}, options.seats - 1);
    const auto seat = static_cast<ResourceId>(host.draw(Purpose::choice, choice));
    if (options.repaired) {
      const auto record = co_await recorded_read(*s, seat);
      if (!record.yes() || !record.value().items.empty()) co_return;  // unknown, or sold already
    }
    co_await host.work(Purpose::hold, s->work);  // the customer pays
    const Law percent = Law::uniform(std::int64_t{0}, std::int64_t{99});
    const bool pays = options.pay_percent == 100 || host.draw(Purpose::application, percent) < options.pay_percent;
    if (!pays) co_return;
    const auto sold = co_await recorded_append(*s, seat, unique_item(*s, 0));
    (void)sold;
  }
  Options options_;
};

template <class W>
std::unique_ptr<Options> default_options_of() {
  return std::make_unique<OptionsOf<typename W::Options>>();
}
template <class W>
std::unique_ptr<Workload> make(const Options& options) {
  return std::make_unique<W>(options.as<typename W::Options>());
}
template <class W>
constexpr WorkloadKind kind(std::string_view name, std::string_view summary, bool sells_seats = false) {
  return {name, summary, sells_seats, std::nullopt, default_options_of<W>, make<W>};
}
template <class W>
constexpr WorkloadKind kept(std::string_view service, std::string_view name, std::string_view summary) {
  return {name, summary, false, KeptIn{service, W::key_of}, default_options_of<W>, make<W>};
}

constexpr std::array<WorkloadKind, 7> kWorkloads = {
    kind<Counter>("counter", "read a number, work, write it back plus one"),
    kind<Register>("register", "write a value of the client's own and read it back"),
    kind<Log>("log", "append a line at the start and one at the end of the section"),
    kind<Set>("set", "read a set, work, write it back with one item more"),
    kind<Seats>("seats", "sell a cinema seat: pay under the lock, then record the sale", true),
    kept<EtcdSet>("etcd", "etcd-set",
                  "read and write a set in etcd itself, by a transaction that compares the lock's key"),
    kept<ZooKeeperSet>("zookeeper", "zookeeper-set",
                       "read and write a set in ZooKeeper itself, by a multi that checks the lock's node"),
};

}  // namespace

std::span<const WorkloadKind> workload_kinds() { return kWorkloads; }

const WorkloadKind* find_workload_kind(std::string_view name) {
  for (const WorkloadKind& k : kWorkloads) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

// --- recorded requests ---------------------------------------------------------------------------

namespace {

Task<Outcome<Stored>> look_up(Host, Storage storage, ResourceId resource, Fence fence) {
  auto outcome = co_await storage.read(resource, fence);
  co_return outcome;
}

Task<void> read_only(Host host, Section* s) {
  const auto before = co_await recorded_read(*s, 0);
  (void)before;
  co_await host.work(Purpose::hold, s->work);
  const auto after = co_await recorded_read(*s, 0);
  (void)after;
}

}  // namespace

Task<Outcome<Stored>> Workload::look(Host host, Stores stores, ResourceId resource, Fence fence) const {
  return look_up(host, stores.storage, resource, fence);
}

Task<void> read_only_section(Section& s) { return read_only(s.host, &s); }

}  // namespace picklock
