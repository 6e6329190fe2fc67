#include "tests/toy_service/toy_service.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/hash.hpp"
#include "sim/core/first_heard.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/service.hpp"

namespace picklock {

void ToySpec::fields(FieldVisitor& v) {
  v.field({.name = "spares", .help = "number of machines without a task: table2, …", .least = 0, .most = 3}, spares);
  v.field({.name = "defect", .help = "mistake of the server"}, defect);
}

namespace {

// --- the server

class ToyServer final : public Program {
 public:
  void set_defect(ToyDefect defect) { defect_ = defect; }
  void begin_run() {
    mistakes_ = 0;
    heard_.clear();
  }
  std::int64_t mistakes() const { return mistakes_; }
  const FirstHeard& first_heard() const { return heard_; }
  void boot(World& world, NodeId node) override { world.tasks.start(node, "main", serve(Service(world, node), this)); }

 private:
  // Requests: '+' or '-', one byte for the length of the owner's name, that name, the row.  Answers: '1' or '0'.
  static Task<void> serve(Service service, ToyServer* self) {
    std::map<std::string, std::string> owners;  // by row
    for (;;) {
      const Message request = co_await service.receive();
      if (request.kind != SegmentKind::data) continue;
      const std::string text(request.body.view());
      const auto length = static_cast<std::size_t>(text[1]);
      const bool done =
          self->apply(service, request, text[0] == '+', text.substr(2, length), text.substr(2 + length), owners);
      service.reply(request, done ? "1" : "0");
    }
  }
  bool apply(const Service& service, const Message& request, bool takes, const std::string& owner,
             const std::string& row, std::map<std::string, std::string>& owners) {
    World& world = service.world();
    const std::uint32_t hold = request.operation.hold;
    const auto found = owners.find(row);
    if (!takes) {
      if (found == owners.end() || found->second != owner) return false;
      owners.erase(found);
      world.record(trace::toy_given_back, service.node(), hold, hash_of(row));
      return true;
    }
    heard_.note(hold, world.now());
    const bool taken = found != owners.end() && found->second != owner;
    if (taken && defect_ == ToyDefect::none) return false;
    mistakes_ += taken;
    owners[row] = owner;
    world.record(trace::toy_taken, service.node(), hold, hash_of(row));
    return true;
  }

  ToyDefect defect_ = ToyDefect::none;
  std::int64_t mistakes_ = 0;
  FirstHeard heard_;
};

// --- the client

class ToyTable {
 public:
  explicit ToyTable(Channel& channel) : channel_(&channel) {}
  class [[nodiscard]] Verb;
  Verb take(std::string_view owner, std::string_view row) const;
  Verb give_back(std::string_view owner, std::string_view row) const;

 private:
  Channel* channel_;
};

class ToyTable::Verb : public ExchangeAwaiter {
 public:
  Verb(Channel& channel, char verb, std::string_view owner, std::string_view row)
      : ExchangeAwaiter(channel, command_mark(verb == '+' ? "set" : "del")) {
    request_ += verb;
    request_ += static_cast<char>(owner.size());
    request_ += owner;
    request_ += row;
  }
  void await_suspend(std::coroutine_handle<> me) { send(request_, me); }
  Outcome<> await_resume() {
    if (!replied()) return Outcome<>::unknown_because(why_not());
    return reply() == "1" ? Outcome<>::of(Nothing{}) : Outcome<>::refusal();
  }

 private:
  std::string request_;
};

ToyTable::Verb ToyTable::take(std::string_view owner, std::string_view row) const {
  return Verb(*channel_, '+', owner, row);
}
ToyTable::Verb ToyTable::give_back(std::string_view owner, std::string_view row) const {
  return Verb(*channel_, '-', owner, row);
}

class ToyClient final : public ServiceClient {
 public:
  explicit ToyClient(RpcChannel& channel) : table_(channel) {}
  void give(Reach& reach) override { reach.put<ToyTable>(table_); }

 private:
  ToyTable table_;
};

// --- the lock

struct ToyLockOptions {
  Duration retry = milliseconds(5);
  void fields(FieldVisitor& v) {
    v.field({.name = "retry", .help = "pause between two attempts", .least = 1'000}, retry);
  }
};

class ToyLock final : public Lock {
 public:
  ToyLock(const LockContext& context, const ToyLockOptions& options)
      : Lock(context.host), table_(context.get<ToyTable>()), row_(context.name), options_(options) {}

  Task<Acquired> acquire(Patience patience) override {
    const std::string owner = std::to_string(host_.random(Purpose::lock_value));
    while (!patience.over()) {
      const auto taken = co_await table_.take(owner, row_);
      if (taken.yes()) co_return Acquired::of(Hold(owner));
      if (taken.unknown()) patience.note_unknown();
      co_await patience.pause(options_.retry);
    }
    co_return patience.exhausted();
  }
  Task<Outcome<>> release(Hold hold) override {
    const auto given_back = co_await table_.give_back(hold.value, row_);
    co_return given_back;
  }

 private:
  ToyTable table_;
  std::string row_;
  ToyLockOptions options_;
};

// --- the judge

class ToyJudge final : public GrantJudge {
 public:
  explicit ToyJudge(std::string_view row) : row_(hash_of(row)) {}
  void reset() override { owner_ = kNoHold; }
  bool wants(TraceKind kind) const override { return kind == trace::toy_taken || kind == trace::toy_given_back; }
  HoldId hold_of(const TraceRecord& r) const override { return r.a; }
  void see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants, std::uint32_t& index) override {
    if (r.b != row_) return;
    const auto say = [&](GrantChange change, HoldId hold) {
      GrantEvent e{.time = r.time, .index = index++, .hold = hold, .by = by.hold, .change = change};
      if (change == GrantChange::begin) e.until = std::numeric_limits<std::int64_t>::max();
      grants.push_back(e);
    };
    if (r.kind == trace::toy_given_back) {
      say(GrantChange::released, owner_);
      owner_ = kNoHold;
      return;
    }
    if (owner_ != kNoHold) say(GrantChange::end, owner_);
    owner_ = by.hold;
    say(GrantChange::begin, owner_);
  }

 private:
  const std::uint64_t row_;
  HoldId owner_ = kNoHold;
};

// --- the service

class ToyDeployment final : public Deployment {
 public:
  explicit ToyDeployment(const ServiceUse& use) : spec_(use.settings.of<ToySpec>()) {
    table_ = add_machine("table");
    for (std::int64_t i = 1; i <= spec_.spares; ++i) (void)add_machine("table" + std::to_string(i + 1));
  }

  void check(std::span<const NamedLock> asked, std::vector<ScenarioProblem>& problems) const override {
    for (const NamedLock& lock : asked) {
      if (lock.name.size() > 100) problems.push_back({lock.where, "'" + lock.name + "'", "a shorter name", ""});
    }
  }
  std::unique_ptr<GrantJudge> judge_of(const std::string& lock_name) const override {
    return std::make_unique<ToyJudge>(lock_name);
  }
  void install(World& world, std::span<const std::string>) override {
    server_.begin_run();
    server_.set_defect(spec_.defect);
    world.install(table_, server_);
  }
  std::unique_ptr<ServiceClient> connect(World& world, const ClientMachine& machine) override {
    ChannelOptions options;
    options.request_timeout = options.connect_timeout = machine.request_timeout;
    options.connected_at_start = !machine.probes;
    return std::make_unique<ToyClient>(world.channels.open(machine.node, table_, options));
  }
  void first_heard(std::vector<std::int64_t>& by_hold) const override { server_.first_heard().merge_into(by_hold); }
  std::string shown_defect() const override {
    return server_.mistakes() == 0 ? "" : std::to_string(server_.mistakes()) + " rows taken over";
  }

 private:
  const ToySpec spec_;
  NodeId table_ = 0;
  ToyServer server_;
};

constexpr ServiceTable kToyTables[] = {service_table<ToySpec>("The process with the table of rows.")};
constexpr OwnershipRule kToyRules[] = {{"toy-row", "the last client that took the row"}};

}  // namespace

constinit const ServiceKind kToyService = {
    .name = "toy",
    .title = "the toy",
    .tables = kToyTables,
    .ownership_rules = kToyRules,
    .make = [](const ServiceUse& use) -> std::unique_ptr<Deployment> { return std::make_unique<ToyDeployment>(use); },
    .trace_kinds =
        [] {
          return std::vector<TraceKindInfo>{{trace::toy_taken, "toy-taken", "hold", "row", ""},
                                            {trace::toy_given_back, "toy-given-back", "hold", "row", ""}};
        },
};

constinit const LockKind kToyLock = {
    .name = "toy-lock",
    .summary = "a row in the toy's table",
    .source = "this test",
    .claims = {.frees_after_crash = false},
    .service = "toy",
    .ownership = "toy-row",
    .assumptions = {},
    .default_options = []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<ToyLockOptions>>(); },
    .make = [](const LockContext& context, const Options& options) -> std::unique_ptr<Lock> {
      return std::make_unique<ToyLock>(context, options.as<ToyLockOptions>());
    },
    .lease = [](const Options&) { return std::optional<Duration>(); },
};

}  // namespace picklock
