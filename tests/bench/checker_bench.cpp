// How fast the checker judges a mutex history: in memory, and from EDN and JSON files.
//
//   checker_bench [--benchmark_filter=…]            e.g. File
//   checker_bench --write DIR [operations]          writes mutex.edn and mutex.json and stops
//
// Each reports operations per second and the peak memory of the process so far, in MB.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "checker/io/history_writer.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

struct Shape {
  std::int64_t operations = 1'000'000;
  std::int32_t clients = 10;
  std::int32_t crashed_per_mille = 0;  // a crashed process goes on under a fresh number
  bool valid = true;                   // otherwise one double grant at 95 %
};

// splitmix64
class Random {
 public:
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int32_t below(std::int32_t n) { return static_cast<std::int32_t>((*this)() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_ = 1;
};

// Clients that acquire and release one lock in turn; each event is one step of a random client.
class MutexHistory {
 public:
  explicit MutexHistory(const Shape& shape)
      : shape_(shape), clients_(static_cast<std::size_t>(shape.clients)), next_(shape.clients) {
    history_.functions = {history_.names.intern("acquire"), history_.names.intern("release")};
    for (std::int32_t i = 0; i < shape.clients; ++i) client(i).process = i;
  }

  History make() {
    while (invoked_ < shape_.operations) step(client(random_.below(shape_.clients)));
    return std::move(history_);
  }

 private:
  struct Client {
    std::int32_t process = 0;
    enum { idle, acquiring, holding, releasing } state = idle;
  };

  Client& client(std::int32_t i) { return clients_[static_cast<std::size_t>(i)]; }

  void add(const Client& client, std::uint8_t f, OperationType type) {
    OperationEvent event;
    time_ += 1000 + random_.below(100'000);
    event.time = time_;
    event.index = static_cast<std::uint32_t>(history_.operations.size());
    event.process = client.process;
    event.f = f;
    event.type = type;
    history_.operations.push_back(event);
    invoked_ += type == OperationType::invoke;
  }

  void crash(Client& client, std::uint8_t f) {
    add(client, f, OperationType::info);
    client.process = next_++;
    client.state = Client::idle;
  }

  void step(Client& client) {
    const bool crashes = random_.below(1000) < shape_.crashed_per_mille;
    switch (client.state) {
      case Client::idle:
        add(client, 0, OperationType::invoke);
        client.state = Client::acquiring;
        break;
      case Client::acquiring: {
        const bool doubled = !shape_.valid && !doubled_ && invoked_ * 20 > shape_.operations * 19;
        if (crashes) return crash(client, 0);
        if (held_ && !doubled) return;
        doubled_ = doubled_ || (held_ && doubled);
        held_ = true;
        add(client, 0, OperationType::ok);
        client.state = Client::holding;
        break;
      }
      case Client::holding:
        add(client, 1, OperationType::invoke);
        held_ = false;
        client.state = Client::releasing;
        break;
      case Client::releasing:
        if (crashes) return crash(client, 1);
        add(client, 1, OperationType::ok);
        client.state = Client::idle;
        break;
    }
  }

  Shape shape_;
  History history_;
  Random random_;
  std::vector<Client> clients_;
  std::int32_t next_;
  std::int64_t time_ = 0;
  std::int64_t invoked_ = 0;
  bool held_ = false;
  bool doubled_ = false;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void report(benchmark::State& state, std::int64_t operations) {
  state.SetItemsProcessed(state.iterations() * operations);
  state.counters["peak_MB"] = peak_megabytes();
}

Shape shape_of(const benchmark::State& state) {
  return {state.range(0), 30, static_cast<std::int32_t>(state.range(1)), state.range(2) != 0};
}

void expect(benchmark::State& state, const CheckResult& result, bool valid) {
  const auto expected = valid ? Verdict::holds : Verdict::violated;
  if (result.verdict != expected) state.SkipWithError(result.explanation.c_str());
}

// A file that is there for as long as the benchmark runs.
class Scratch {
 public:
  Scratch(const Shape& shape, Format format)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("picklock_bench_{}", static_cast<const void*>(this))) {
    write_history_file(MutexHistory(shape).make(), path_.string(), {format});
  }
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void file(benchmark::State& state, Format format) {
  const Shape shape = shape_of(state);
  const Scratch scratch(shape, format);
  for (auto _ : state) expect(state, check_file(scratch.path()), shape.valid);
  report(state, shape.operations);
}

void edn_file(benchmark::State& state) { file(state, Format::edn); }
void json_file(benchmark::State& state) { file(state, Format::json); }

void memory(benchmark::State& state) {
  const Shape shape = shape_of(state);
  const History history = MutexHistory(shape).make();
  for (auto _ : state) expect(state, check_history(history), shape.valid);
  report(state, shape.operations);
}

void read_edn(benchmark::State& state) {
  const Shape shape = shape_of(state);
  const Scratch scratch(shape, Format::edn);
  for (auto _ : state) benchmark::DoNotOptimize(read_history_file(scratch.path()));
  report(state, shape.operations);
}

void write(benchmark::State& state, Format format) {
  const Shape shape = shape_of(state);
  const History history = MutexHistory(shape).make();
  for (auto _ : state) write_history_file(history, "/dev/null", {format});
  report(state, shape.operations);
}

void write_edn(benchmark::State& state) { write(state, Format::edn); }
void write_json(benchmark::State& state) { write(state, Format::json); }

constexpr std::int64_t kMillion = 1'000'000;

// Files first: they need little memory, which the peak then shows.
BENCHMARK(edn_file)->Args({kMillion, 0, 1})->Args({kMillion, 50, 0})->Unit(benchmark::kMillisecond);
BENCHMARK(json_file)->Args({kMillion, 0, 1})->Args({kMillion, 50, 0})->Unit(benchmark::kMillisecond);
BENCHMARK(memory)
    ->Args({1'000, 0, 1})
    ->Args({10'000, 50, 0})
    ->Args({kMillion, 0, 1})
    ->Args({kMillion, 50, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_edn)->Args({kMillion, 0, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(write_edn)->Args({kMillion, 0, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(write_json)->Args({kMillion, 0, 1})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) {
  if (argc >= 3 && std::string(argv[1]) == "--write") {
    picklock::Shape shape;
    if (argc > 3) shape.operations = std::atoll(argv[3]);
    const picklock::History history = picklock::MutexHistory(shape).make();
    const std::string folder = argv[2];
    picklock::write_history_file(history, folder + "/mutex.edn", {picklock::Format::edn});
    picklock::write_history_file(history, folder + "/mutex.json", {picklock::Format::json});
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
