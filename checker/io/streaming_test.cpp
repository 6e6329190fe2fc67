// Memory does not grow with the file, in any format, packed or not: counted in bytes of the heap.
// A program of its own, as it replaces operator new.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "checker/io/gzip.hpp"
#include "checker/models/check_file.hpp"

namespace {

std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};
constexpr std::size_t kHeader = alignof(std::max_align_t);  // holds the size of the block

}  // namespace

void* operator new(std::size_t size) {
  auto* const block = static_cast<std::byte*>(std::malloc(size + kHeader));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block) = size;
  const std::size_t now = live_bytes += size;
  if (now > peak_bytes) peak_bytes = now;
  return block + kHeader;
}

void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  auto* const block = static_cast<std::byte*>(at) - kHeader;
  live_bytes -= *reinterpret_cast<std::size_t*>(block);
  std::free(block);
}

void operator delete(void* at, std::size_t) noexcept { operator delete(at); }

namespace picklock {
namespace {

using Line = std::function<std::string(const char* type, const char* f, int process, int n)>;

// Writes itself while it is read: as long as one likes, and stored nowhere.
class Clients final : public ByteSource {
 public:
  Clients(const Line& line, int operations, std::string open, std::string separator, std::string close)
      : line_(line),
        left_(operations),
        text_(std::move(open)),
        separator_(std::move(separator)),
        close_(std::move(close)) {}

  std::size_t read(char* into, std::size_t room) override {
    if (text_.empty() && left_ > 0) {
      const int n = left_--;
      const char* const f = n % 2 == 0 ? "acquire" : "release";
      // The count runs down: an acquire has an even n, its release the odd one below.
      const int owner = (n + 1) / 2 % 30;
      text_ = line_("invoke", f, owner, 2 * n) + separator_ + line_("ok", f, owner, 2 * n + 1);
      text_ += left_ > 0 ? separator_ : close_;
    }
    const std::size_t count = std::min(text_.size(), room);
    std::copy_n(text_.data(), count, into);
    text_.erase(0, count);
    return count;
  }

 private:
  const Line& line_;
  int left_;
  std::string text_, separator_, close_;
};

struct Shape {
  const char* name;
  Line line;
  std::string open, separator, close;
  Format format;
};

std::string edn(const char* type, const char* f, int process, int n) {
  return fmt::format("{{:type :{}, :f :{}, :process {}, :time {}, :value \"v{}\", :error [:e {}]}}", type, f, process,
                     n, n, n);
}
std::string json(const char* type, const char* f, int process, int n) {
  return fmt::format(R"({{"type":"{}","f":"{}","process":{},"time":{},"value":"v{}","error":["e",{}]}})", type, f,
                     process, n, n, n);
}
std::string lease(const char* type, const char* f, int process, int n) {
  const bool invoke = std::string_view(type) == "invoke";
  return fmt::format(R"({{"type":"{}","f":"{}","process":{},"value":"{}"}})", type,
                     std::string_view(f) == "acquire" ? "lock" : "unlock", process,
                     invoke ? std::string("bob") : fmt::format("Token [{}]", n));
}
std::string log(const char* type, const char* f, int process, int n) {
  return fmt::format("INFO  other - {}\nINFO  jepsen.util - {}\t:{}\t:{}\t\"v{}\"\tlate {}", n, process, type, f, n, n);
}

const Shape kShapes[] = {
    {"EDN lines", edn, "", "\n", "\n", Format::edn},
    {"an EDN vector", edn, "; a comment\n[", " ", "]", Format::edn},
    {"EDN on one line", edn, "", "", "", Format::edn},
    {"JSON lines", json, "", "\n", "\n", Format::json},
    {"a JSON array", json, "[", ",", "]", Format::json},
    {"lease JSON", lease, "[", ",", "]", Format::lease_json},
    {"a log", log, "", "\n", "\n", Format::jepsen_log},
};

std::size_t peak_of(ByteSource& source, const Shape& shape, int operations, const HistoryCheckOptions& options = {}) {
  const std::size_t before = live_bytes;
  peak_bytes = before;
  const CheckResult result = check_source(source, "clients", options);
  const std::size_t peak = peak_bytes - before;
  EXPECT_EQ(result.verdict, Verdict::holds) << shape.name << result.explanation;
  EXPECT_EQ(result.operations, static_cast<std::uint64_t>(operations)) << shape.name;
  EXPECT_EQ(result.format, shape.format) << shape.name;
  return peak;
}

constexpr int kSmall = 100;
constexpr int kLarge = 100 * kSmall;
constexpr std::size_t kSlack = 2'000;  // bytes: buffers that depend on the longest record

TEST(Streaming, MemoryDoesNotGrowWithTheFile) {
  for (const Shape& shape : kShapes) {
    const auto peak = [&](int operations) {
      Clients clients(shape.line, operations, shape.open, shape.separator, shape.close);
      return peak_of(clients, shape, operations);
    };
    const std::size_t small = peak(kSmall);
    const std::size_t large = peak(kLarge);
    EXPECT_LT(small, 300'000u) << shape.name;
    EXPECT_LT(large, small + kSlack) << shape.name;
  }
}

TEST(Streaming, MemoryDoesNotGrowWithAPackedFile) {
  struct StringSink final : ByteSink {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  };
  const Shape& shape = kShapes[0];
  const auto peak = [&](int operations) {
    Clients clients(shape.line, operations, shape.open, shape.separator, shape.close);
    StringSink sink;
    PackingSink packing(sink);
    char piece[4096];
    while (const std::size_t got = clients.read(piece, sizeof piece)) packing.write({piece, got});
    packing.finish();
    TextSource source(sink.text);
    return peak_of(source, shape, operations);
  };
  const std::size_t small = peak(kSmall);
  EXPECT_LT(peak(kLarge), small + kSlack);
}

// The token and the lock come from fields, of thirty owners: only thirty names may grow.
TEST(Streaming, MappedFieldsDoNotGrowEither) {
  Shape shape = kShapes[0];
  shape.line = [](const char* type, const char* f, int process, int n) {
    return fmt::format("{{:event :{}, :f :{}, :process {}, :value {{:fence {}, :lock :l, :who \"c{}\"}}}}", type, f,
                       process, n, process);
  };
  HistoryCheckOptions options;
  options.fields.keys = {{"event", "type"}};
  options.fields.owner = "who";
  options.fields.lock = "value.lock";
  options.fields.token = "fence";
  const auto peak = [&](int operations) {
    Clients clients(shape.line, operations, shape.open, shape.separator, shape.close);
    return peak_of(clients, shape, operations, options);
  };
  const std::size_t small = peak(kSmall);
  EXPECT_LT(peak(kLarge), small + kSlack);
}

// The test can see growth: a whole History does grow.
TEST(Streaming, AHistoryInMemoryGrows) {
  const Shape& shape = kShapes[0];
  const auto peak = [&](int operations) {
    Clients clients(shape.line, operations, shape.open, shape.separator, shape.close);
    const std::size_t before = live_bytes;
    peak_bytes = before;
    const History history = read_history(clients, "clients");
    return peak_bytes - before;
  };
  EXPECT_GT(peak(kLarge), 10 * peak(kSmall));
}

}  // namespace
}  // namespace picklock
