#include "checker/io/format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

struct Ignore final : EventSink {
  void operation(const OperationEvent&, const OperationExtras&) override {}
};

Format recognised(std::string_view text) {
  TextSource source(text, 7);
  History tables;
  return HistoryReader(source, "text", tables).format();
}

TEST(Format, IsRecognisedByContent) {
  EXPECT_EQ(recognised("{:type :invoke :f :get :process 0}"), Format::edn);
  EXPECT_EQ(recognised("{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}"), Format::porcupine);
  EXPECT_EQ(recognised("{:process 0, :type :invoke, :f :acquire, :key \"0\"}"), Format::edn);
  EXPECT_EQ(recognised(R"([{"type":"invoke","f":"acquire","process":0}])"), Format::json);
  EXPECT_EQ(recognised(R"([{"type":"invoke","f":"unlock","process":0,"value":"bob"}])"), Format::lease_json);
  EXPECT_EQ(recognised(R"([{"type":"invoke","f":"unlock","process":0,"value":null}])"), Format::json);
  EXPECT_EQ(recognised(R"([{"type":"invoke","f":"acquire","process":0,"value":"bob"}])"), Format::json);
  EXPECT_EQ(recognised("INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"), Format::jepsen_log);
  EXPECT_EQ(recognised("[2024-05-01 12:00] booting\n\n{ odd\n0\t:invoke\t:read\tnil"), Format::jepsen_log);
}

TEST(Format, HasNames) {
  for (const FormatInfo& info : formats()) {
    EXPECT_EQ(format_named(info.name), info.format);
    EXPECT_EQ(name_of(info.format), info.name);
  }
  EXPECT_FALSE(format_named("xml"));
  EXPECT_EQ(format_of_file_name("a.edn"), Format::edn);
  EXPECT_EQ(format_of_file_name("a.b/c.json.gz"), Format::json);
  EXPECT_FALSE(format_of_file_name("a.gz"));
  EXPECT_FALSE(format_of_file_name("a.txt"));
}

TEST(Format, CanBeOverridden) {
  const char* const text = R"([{"type":"invoke","f":"unlock","process":0,"value":"bob"}])";
  ReadOptions options;
  options.format = Format::json;
  const History plain = read_history_text(text, options);
  EXPECT_EQ(plain.names.view(plain.functions[0]), "unlock");
  options.format = Format::lease_json;
  const History lease = read_history_text(text, options);
  EXPECT_EQ(lease.names.view(lease.functions[0]), "release");
  options.functions = {{"unlock", "free"}};
  const History mapped = read_history_text(text, options);
  EXPECT_EQ(mapped.names.view(mapped.functions[0]), "free");
  options.format = Format::edn;
  EXPECT_THROW(read_history_text(text, options), ReadError);
}

TEST(LeaseJson, NamesLocksAndTellsRefusals) {
  const History h = read_history_text(
      R"([{"f":"unlock","process":3,"time":1,"type":"invoke","value":"shelly"},
          {"f":"unlock","process":3,"query-params":"","time":2,"type":"ok","value":"false"},
          {"f":"lock","process":3,"time":3,"type":"invoke","value":"bob"},
          {"f":"refresh","process":4,"time":3,"type":"invoke","value":"shelly"},
          {"f":"lock","process":3,"query-params":"n2,bob","time":4,"type":"ok","value":"Token [1c]"},
          {"f":"refresh","process":4,"query-params":"","time":5,"type":"ok","value":""}])");
  using enum OperationType;
  const OperationType types[] = {invoke, fail, invoke, invoke, ok, fail};
  const char* const locks[] = {"shelly", "shelly", "bob", "shelly", "bob", "shelly"};
  const char* const functions[] = {"release", "release", "acquire", "refresh", "acquire", "refresh"};
  for (std::size_t i = 0; i < 6; ++i) {
    const OperationEvent& event = h.operations[i];
    EXPECT_EQ(event.type, types[i]) << i;
    EXPECT_EQ(h.names.view(event.object), locks[i]) << i;
    EXPECT_EQ(h.names.view(h.functions[event.f]), functions[i]) << i;
  }
  EXPECT_EQ(h.names.find("Token [1c]"), kNoName);  // an answer is no lock
}

TEST(Porcupine, TheKeyIsTheObject) {
  const History h = read_history_text(
      "{:process 0, :type :invoke, :f :append, :key \"4\", :value \"x 0 0 y\"}\n"
      "{:process 1, :type :invoke, :f :get, :key \"1\", :value nil}\n"
      "{:process 0, :type :ok, :f :append, :key \"4\", :value \"x 0 0 y\"}\n");
  EXPECT_EQ(h.names.view(h.operations[0].object), "4");
  EXPECT_EQ(h.names.view(h.operations[1].object), "1");
  EXPECT_EQ(h.values.edn(h.operations[2].value), "\"x 0 0 y\"");
}

}  // namespace
}  // namespace picklock
