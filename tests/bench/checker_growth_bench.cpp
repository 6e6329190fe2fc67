// How the lock models grow: every model on 10^3 to 10^7 operations, valid and with one double grant
// at 95 %, with the exponent that fits the times best.
//
//   checker_growth_bench [largest power of ten] [clients] [crashed per mille]      7 30 50
//
// The generator writes blocks of events, and only the sweep over them is timed.  The exponent is the
// least-squares slope of log(time) over log(operations), from 10^4 on (before, caches rule).
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "checker/models/models.hpp"
#include "checker/models/sweep.hpp"

namespace picklock {
namespace {

struct Subject {
  const char* model;
  std::int64_t permits = 1;
  bool tokens = false;
  bool readers = false;
  bool refreshes = false;
  int nesting = 1;
};

constexpr Subject kSubjects[] = {
    {"mutex"},
    {"mutex-ownerless"},
    {"try-mutex"},
    {"reentrant-mutex:2", 1, false, false, false, 2},
    {"fenced-mutex", 1, true},
    {"reentrant-fenced-mutex:2", 1, true, false, false, 2},
    {"fencing-tokens", 1, true},
    {"rw-mutex", 1, false, true},
    {"semaphore:5", 5},
    {"semaphore-ownerless:5", 5},
    {"lease-mutex", 1, false, false, true},
    {"try-lease-mutex", 1, false, false, true},
    {"logged-lease-mutex", 1, false, false, true},
};

// splitmix64
class Random {
 public:
  std::int64_t below(std::int64_t n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_ = 1;
};

// Clients that acquire, perhaps refresh, and release; each event is one step of a random client.  A
// process that crashes gives way to a fresh one; what it held is free again, since its release crashed.
class Generator {
 public:
  Generator(const Subject& subject, std::int64_t operations, int clients, int crashed, bool valid)
      : subject_(subject), operations_(operations), crashed_(crashed), valid_(valid) {
    tables.functions = {id(subject.readers ? "acquire-write" : "acquire"), id("release"), id("acquire-read"),
                        id("refresh")};
    clients_.resize(static_cast<std::size_t>(clients));
    for (Client& client : clients_) client.process = fresh_++;
  }

  // Appends up to `events`; false at the end.
  bool fill(std::vector<OperationEvent>& out, std::size_t events) {
    out.clear();
    while (out.size() < events && invoked_ < operations_) {
      step(clients_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(clients_.size())))], out);
    }
    return !out.empty();
  }

  History tables;

 private:
  struct Client {
    std::int32_t process = 0;
    enum { idle, acquiring, holding, refreshing, releasing } state = idle;
    std::uint8_t f = 0;
    int depth = 0;
    std::int64_t token = kNoToken;
  };

  NameId id(const char* name) { return tables.names.intern(name); }

  void add(const Client& client, std::uint8_t f, OperationType type, std::vector<OperationEvent>& out) {
    OperationEvent event;
    event.index = index_++;
    event.time = event.index;
    event.process = client.process;
    event.f = f;
    event.type = type;
    if (type == OperationType::ok && (f == 0 || f == 2)) event.token = client.token;
    out.push_back(event);
    invoked_ += type == OperationType::invoke;
  }

  void renew(Client& client) {
    client = {};
    client.process = fresh_++;
  }

  void release(const Client& client) {
    if (client.f == 2) {
      --readers_;
    } else {
      --held_;
    }
  }

  void step(Client& client, std::vector<OperationEvent>& out) {
    const bool crashes = random_.below(1000) < crashed_;
    switch (client.state) {
      case Client::idle:
        client.f = subject_.readers && random_.below(10) > 0 ? 2 : 0;
        add(client, client.f, OperationType::invoke, out);
        client.state = Client::acquiring;
        return;
      case Client::acquiring: {
        const bool reading = client.f == 2;
        const bool room = reading ? held_ == 0 : held_ + (readers_ > 0 ? 1 : 0) < subject_.permits;
        const bool conflict = held_ > 0 || (!reading && readers_ > 0);
        const bool lie = !valid_ && !lied_ && conflict && invoked_ * 20 > operations_ * 19;
        if (client.depth == 0) {
          if (!room && !lie) return;  // waits
          if (crashes && !lie) {
            add(client, client.f, OperationType::info, out);
            return renew(client);
          }
          if (subject_.tokens) client.token = lie ? 1 : ++token_;
          if (!room) lied_ = true;
          if (reading) {
            ++readers_;
          } else {
            ++held_;
          }
        }
        ++client.depth;
        add(client, client.f, OperationType::ok, out);
        client.state = Client::holding;
        return;
      }
      case Client::holding:
        if (client.depth < subject_.nesting) {
          add(client, client.f, OperationType::invoke, out);
          client.state = Client::acquiring;
        } else if (subject_.refreshes && random_.below(2) == 0) {
          add(client, 3, OperationType::invoke, out);
          client.state = Client::refreshing;
        } else {
          add(client, 1, OperationType::invoke, out);
          if (client.depth == 1) release(client);
          client.state = Client::releasing;
        }
        return;
      case Client::refreshing:
        add(client, 3, OperationType::ok, out);
        client.state = Client::holding;
        return;
      case Client::releasing:
        if (crashes && client.depth == 1) {
          add(client, 1, OperationType::info, out);
          return renew(client);
        }
        add(client, 1, OperationType::ok, out);
        if (--client.depth > 0) {
          add(client, 1, OperationType::invoke, out);
          if (client.depth == 1) release(client);
          return;
        }
        client.state = Client::idle;
        return;
    }
  }

  Subject subject_;
  std::int64_t operations_;
  int crashed_;
  bool valid_;
  Random random_;
  std::vector<Client> clients_;
  std::int32_t fresh_ = 0;
  std::uint32_t index_ = 0;
  std::int64_t invoked_ = 0, held_ = 0, readers_ = 0, token_ = 0;
  bool lied_ = false;
};

struct Measured {
  double seconds = 0;
  std::size_t bytes = 0;
  bool as_expected = false;
};

// Of this process: the machine may be busy with others.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Measured measure(const Subject& subject, std::int64_t operations, int clients, int crashed, bool valid) {
  Generator generator(subject, operations, clients, crashed, valid);
  Sweep sweep(find_model(subject.model), generator.tables);
  std::vector<OperationEvent> block;
  Measured measured;
  while (generator.fill(block, 1 << 18)) {
    const double begin = cpu_seconds();
    for (const OperationEvent& event : block) sweep.feed(event);
    measured.seconds += cpu_seconds() - begin;
  }
  measured.bytes = sweep.memory();
  const double begin = cpu_seconds();
  const ModelResult result = sweep.finish();
  measured.seconds += cpu_seconds() - begin;
  measured.as_expected = result.verdict == (valid ? Verdict::holds : Verdict::violated);
  return measured;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) {
  using namespace picklock;
  const int powers = argc > 1 ? std::atoi(argv[1]) : 7;
  const int clients = argc > 2 ? std::atoi(argv[2]) : 30;
  const int crashed = argc > 3 ? std::atoi(argv[3]) : 50;
  fmt::print("milliseconds of processor time; {} clients, {} of 1000 operations crashed\n{:<26}{:<7}", clients, crashed,
             "model", "");
  for (int power = 3; power <= powers; ++power) fmt::print("{:>10}", fmt::format("10^{}", power));
  fmt::print("{:>10}{:>10}\n", "MB", "exponent");
  int status = 0;
  for (const Subject& subject : kSubjects) {
    for (const bool valid : {true, false}) {
      fmt::print("{:<26}{:<7}", subject.model, valid ? "valid" : "bad");
      std::vector<double> x, y;
      Measured measured;
      bool fine = true;
      std::int64_t operations = 100;
      for (int power = 3; power <= powers; ++power) {
        operations = power == 3 ? 1'000 : operations * 10;
        measured = measure(subject, operations, clients, crashed, valid);
        // A second holder alone is legal there.
        const bool legal_lie = !valid && std::string(subject.model) == "lease-mutex";
        fine = fine && (measured.as_expected || legal_lie);
        fmt::print("{:>10.2f}", measured.seconds * 1e3);
        std::fflush(stdout);
        if (power < 4) continue;
        x.push_back(std::log(static_cast<double>(operations)));
        y.push_back(std::log(measured.seconds));
      }
      fmt::print("{:>10.1f}{:>10.2f}{}\n", static_cast<double>(measured.bytes) / 1e6, x.size() > 1 ? slope(x, y) : 0.0,
                 fine ? "" : "  NOT AS EXPECTED");
      if (!fine) status = 1;
    }
  }
  return status;
}
