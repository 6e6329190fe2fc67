#include "checker/io/history_maker_lab.hpp"

#include <array>
#include <limits>
#include <string>

#include "checker/io/edn.hpp"

namespace picklock {
namespace {

class Maker {
 public:
  explicit Maker(const std::vector<std::uint32_t>& tape) : tape_(tape) {}

  History make() {
    h_.omniscient = below(2) == 1;
    for (std::uint32_t i = below(5); i > 0; --i) h_.functions.push_back(h_.names.intern(name()));
    h_.functions.push_back(h_.names.intern("acquire"));
    if (below(2) == 1) add_holds();
    index_ = below(3);
    while (at_ < tape_.size()) {
      event();
      index_ += 1 + (below(4) == 0 ? below(100) : 0);
    }
    return std::move(h_);
  }

 private:
  std::uint32_t next() { return at_ < tape_.size() ? tape_[at_++] : 0; }
  std::uint32_t below(std::uint32_t n) { return next() % n; }

  std::string name() {
    static const std::array<const char*, 16> kNames = {"a",      "release", "lock-1", "client 1", "",  "ünï",
                                                       ":colon", ":b c",    "12",     "a/b",      "/", "x\"y\\\n",
                                                       "nil",    "true",    "$edn",   "\x7f"};
    return kNames[below(kNames.size())];
  }

  NameId maybe_name() { return below(2) == 0 ? kNoName : h_.names.intern(name()); }

  std::string edn(int depth) {
    static const std::array<const char*, 24> kScalars = {"nil",
                                                         "true",
                                                         "false",
                                                         "0",
                                                         "-17",
                                                         "2305843009213693952",
                                                         "-9223372036854775808",
                                                         "123456789012345678901",
                                                         "1.5",
                                                         "-1e-300",
                                                         "2.50M",
                                                         "22/7",
                                                         "##Inf",
                                                         ":k",
                                                         ":a/b",
                                                         "sym",
                                                         "\"\"",
                                                         "\":k\"",
                                                         "\"$edn\"",
                                                         "\"q\\\"\\\\\\n\\u0001é😀\"",
                                                         "\\a",
                                                         "\\newline",
                                                         "\\)",
                                                         "#inst \"2020\""};
    const std::uint32_t kind = below(depth > 0 ? 12 : 7);
    if (kind < 7) return kScalars[below(kScalars.size())];
    if (kind == 7) return "#tag " + edn(depth - 1);
    const std::uint32_t count = below(4);
    std::string items;
    for (std::uint32_t i = 0; i < count; ++i) {
      // Distinct keys of maps and elements of sets: wrapped together with their number.
      if (kind == 9) items += below(2) == 0 ? ":k" + std::to_string(i) + " " : "\"" + std::to_string(i) + "\" ";
      if (kind == 10) items += "[" + std::to_string(i) + " ";
      items += edn(depth - 1);
      if (kind == 10) items += "]";
      items += " , ";
    }
    switch (kind) {
      case 8:
        return "(" + items + ")";
      case 9:
        return "{" + items + "}";
      case 10:
        return "#{" + items + "}";
      default:
        return "[" + items + "]";
    }
  }

  Value value() { return h_.values.canonical(canonical_edn(edn(3))); }

  std::int64_t number() {
    switch (below(5)) {
      case 0:
        return kNoTime;
      case 1:
        return below(1000);
      case 2:
        return -static_cast<std::int64_t>(below(1000));
      case 3:
        return std::numeric_limits<std::int64_t>::max();
      default:
        return static_cast<std::int64_t>(next()) * 1'000'003;
    }
  }

  std::int32_t named_process() { return ~static_cast<std::int32_t>(h_.names.intern(name())); }

  void add_holds() {
    h_.holds.emplace_back();
    for (std::uint32_t i = below(4); i > 0; --i) {
      HoldInfo info;
      info.lock = maybe_name();
      info.client = maybe_name();
      info.process = below(4) == 0 ? named_process() : static_cast<std::int32_t>(below(100));
      info.token = number();
      info.mode = static_cast<HoldMode>(below(2));
      h_.holds.push_back(info);
    }
  }

  HoldId hold() { return h_.holds.empty() ? kNoHold : below(static_cast<std::uint32_t>(h_.holds.size())); }

  // A process invokes when it is idle, completes when it is not, and ends with its first crash.
  void operation() {
    OperationEvent event;
    event.time = number();
    event.local_time = number();
    event.token = number();
    event.hold = hold();
    event.object = maybe_name();
    event.index = index_;
    event.value = value();
    if (below(5) == 0) {
      event.process = named_process();
      event.type = static_cast<OperationType>(below(4));
      event.f = function();
    } else {
      const std::uint32_t client = below(4);
      Client& c = clients_[client];
      event.process = static_cast<std::int32_t>(client + 4 * c.life);
      if (!c.busy) {
        event.type = OperationType::invoke;
        c.f = function();
      } else {
        event.type = static_cast<OperationType>(1 + below(3));
        if (event.type == OperationType::info) ++c.life;
      }
      event.f = c.f;
      c.busy = !c.busy;
    }
    h_.operations.push_back(event);
    static const std::array<const char*, 5> kKeys = {"error", "ns/key", "weird key", "ä", ":x"};
    for (const char* key : kKeys) {
      if (below(6) == 1) h_.extras.push_back({index_, h_.names.intern(key), value()});
    }
  }

  std::uint8_t function() { return static_cast<std::uint8_t>(below(static_cast<std::uint32_t>(h_.functions.size()))); }

  void event() {
    switch (below(8)) {
      case 1:
        h_.beliefs.push_back({number(), index_, hold(), static_cast<BeliefEnd>(below(5))});
        break;
      case 2: {
        GrantEvent event{number(), number(), index_, hold(), hold(), {}};
        event.change = static_cast<GrantChange>(below(7));
        event.cause = static_cast<GrantEnd>(below(11));
        event.server = maybe_name();
        h_.grants.push_back(event);
        break;
      }
      case 3: {
        EffectEvent event;
        event.time = number();
        event.token = number();
        event.version = below(2) == 0 ? below(10) : ~std::uint64_t{next()};
        event.read_version = below(10);
        event.index = index_;
        event.hold = hold();
        event.resource = maybe_name();
        event.kind = static_cast<EffectKind>(below(4));
        event.acknowledged = below(2) == 1;
        event.depends_on_read = below(2) == 1;
        h_.effects.push_back(event);
        break;
      }
      case 4:
        h_.processes.push_back({number(), index_, maybe_name(), static_cast<ProcessChange>(below(4))});
        break;
      case 5:
        h_.phases.push_back({number(), index_, static_cast<Phase>(below(5))});
        break;
      default:
        operation();
    }
  }

  struct Client {
    std::uint32_t life = 0;
    std::uint8_t f = 0;
    bool busy = false;
  };

  const std::vector<std::uint32_t>& tape_;
  std::size_t at_ = 0;
  History h_;
  std::uint32_t index_ = 0;
  std::array<Client, 4> clients_;
};

}  // namespace

History make_history(const std::vector<std::uint32_t>& tape) { return Maker(tape).make(); }

}  // namespace picklock
