// Plain logs: one line for an operation, times as people write them.
#include <gtest/gtest.h>

#include <string>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

ReadOptions plain_log() {
  ReadOptions options;
  options.fields.process = "client";
  options.fields.keys = {{"event", "f"}, {"at", "time"}};
  options.fields.lock = "order";
  options.fields.token = "fence";
  options.fields.instants = {{"acquired", "acquire", OperationType::ok},
                             {"released", "release", OperationType::ok},
                             {"denied", "acquire", OperationType::fail}};
  return options;
}

std::string plain_log_error(const std::string& text, const ReadOptions& options) {
  try {
    read_history_text(text, options);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(Instants, OneLineIsAWholeOperation) {
  const History log = read_history_text(
      "at,client,event,order,fence\n"
      "2024-05-01T12:00:00Z,api-7f,acquired,42,7\n"
      "2024-05-01T12:00:00.5Z,api-9c,denied,42,\n"
      "2024-05-01T12:00:01Z,api-7f,released,42,\n",
      plain_log());
  ASSERT_EQ(log.operations.size(), 6u);
  constexpr std::int64_t kNoon = 1'714'564'800'000'000'000;
  const auto event_told = [&](std::size_t i) {
    const OperationEvent& e = log.operations[i];
    constexpr const char* kTypeNames[] = {"invoke", "ok", "fail", "info"};
    return std::string(log.names.view(log.functions[e.f])) + " " + kTypeNames[static_cast<std::size_t>(e.type)] +
           " by " + std::to_string(e.process) + " of " + std::string(log.names.view(e.object)) + " at " +
           std::to_string((e.time - kNoon) / 1'000'000);
  };
  EXPECT_EQ(event_told(0), "acquire invoke by 0 of 42 at 0");
  EXPECT_EQ(event_told(1), "acquire ok by 0 of 42 at 0");
  EXPECT_EQ(event_told(2), "acquire invoke by 1 of 42 at 500");
  EXPECT_EQ(event_told(3), "acquire fail by 1 of 42 at 500");
  EXPECT_EQ(event_told(4), "release invoke by 0 of 42 at 1000");
  EXPECT_EQ(event_told(5), "release ok by 0 of 42 at 1000");
  EXPECT_EQ(log.operations[0].token, kNoToken);
  EXPECT_EQ(log.operations[1].token, 7);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(log.operations[i].index, i);
  for (const ExtraField& field : log.extras) EXPECT_EQ(field.index % 2, 1u) << "what else is said belongs to the end";
}

TEST(Instants, MixWithOperationsOfTwoRecords) {
  ReadOptions options;
  options.fields.instants = {{"got", "acquire", OperationType::ok}};
  const History h = read_history_text(
      "{:process 0, :f :got, :index 5}{:process 0, :type :invoke, :f :release, :index 6}"
      "{:process 0, :type :ok, :f :release, :index 7}",
      options);
  ASSERT_EQ(h.operations.size(), 4u);
  EXPECT_EQ(h.operations[3].index, 3u) << "numbered anew";
}

TEST(Instants, SayWhatIsMissing) {
  const std::string header = "at,client,event,order,fence\n";
  EXPECT_EQ(plain_log_error(header + "1,a,acquired,1,1\n2,b,denied,1,1\n3,a,relased,1,1\n", plain_log()),
            "text:4:5: found a 'relased' without :type, expected :type with invoke, ok, fail or info, --end-field for "
            "records "
            "with begin and end, or --instant relased=… if it is a whole operation; did you mean 'released'?");
  ReadOptions mistyped = plain_log();
  mistyped.fields.instants[1].theirs = "aquired";
  EXPECT_EQ(plain_log_error(header + "1,a,acquired,1,1\n", mistyped).substr(0, 48),
            "text: found no record with the function 'aquired");
  EXPECT_NE(plain_log_error(header + "1,a,acquired,1,1\n", mistyped).find("did you mean 'acquired'?"),
            std::string::npos);
  ReadOptions options = plain_log();
  options.fields.process.clear();
  EXPECT_EQ(plain_log_error(header + "1,a,acquired,1,1\n", options),
            "text:2:1: found a record without :process, expected the client in :process, or --process-field with the "
            "name of the field "
            "that names it");
}

TEST(Times, MayBeTexts) {
  const auto time_of = [](const std::string& time, std::optional<std::int64_t> unit) {
    ReadOptions options;
    options.fields.time_unit = unit;
    return read_history_text("{:process 0, :type :invoke, :f :a, :time " + time + "}", options).operations[0].time;
  };
  EXPECT_EQ(time_of("\"1970-01-01T00:00:01Z\"", {}), 1'000'000'000);
  EXPECT_EQ(time_of("\"1970-01-01T00:00:01Z\"", 1'000'000), 1'000'000'000) << "whatever the unit";
  EXPECT_EQ(time_of("\"12\"", {}), 12);
  EXPECT_EQ(time_of("\"1714564800.123456789\"", 1'000'000'000), 1'714'564'800'123'456'789) << "no digit is lost";
  EXPECT_EQ(time_of("2.5M", 1'000'000'000), 2'500'000'000);
}

TEST(Times, SayWhatIsWrongWithThem) {
  const auto error = [](const std::string& time) {
    return plain_log_error("{:process 0, :type :invoke, :f :a, :time " + time + "}", {});
  };
  EXPECT_EQ(
      error("1714564800.25"),
      "text:1:42: found 1714564800.25 for :time, expected a whole number of nanoseconds; seconds need --time-unit s, "
      "milliseconds --time-unit ms");
  for (const char* const bad : {"\"yesterday\"", "\"\"", "\"2024-05-01\"", "[1]"}) {
    EXPECT_EQ(error(bad), "text:1:42: found " + std::string(bad) +
                              " for :time, expected a number of time units, within 292 years, or an ISO 8601 time");
  }
  EXPECT_EQ(error(":soon"), "text:1:42: found :soon for :time, expected a number or an ISO 8601 time");
}

}  // namespace
}  // namespace picklock
