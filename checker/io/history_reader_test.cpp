#include "checker/io/history_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

const char* const kLines =
    "{:type :invoke, :f :cas, :process 0, :time 5, :value [1 2], :index 3}\n"
    "{:type :info, :f :start, :process :nemesis, :time 6, :index 4}\n"
    "{:type :fail, :f :cas, :process 0, :time 7, :value [1 2], :error :not-held, :index 9}\n";

void expect_lines(const History& history) { EXPECT_EQ(first_difference(history, read_history_text(kLines)), ""); }

TEST(HistoryReader, ReadsOperations) {
  const History h = read_history_text(kLines);
  ASSERT_EQ(h.operations.size(), 3u);
  const OperationEvent& first = h.operations[0];
  EXPECT_EQ(first.type, OperationType::invoke);
  EXPECT_EQ(h.names.view(h.functions[first.f]), "cas");
  EXPECT_EQ(first.process, 0);
  EXPECT_EQ(first.time, 5);
  EXPECT_EQ(first.index, 3u);
  EXPECT_EQ(h.values.edn(first.value), "[1 2]");
  EXPECT_EQ(first.hold, kNoHold);
  EXPECT_EQ(first.token, kNoToken);
  EXPECT_EQ(h.names.view(static_cast<NameId>(~h.operations[1].process)), "nemesis");
  ASSERT_EQ(h.extras.size(), 1u);
  EXPECT_EQ(h.extras[0].index, 9u);
  EXPECT_EQ(h.names.view(h.extras[0].key), "error");
  EXPECT_EQ(h.values.edn(h.extras[0].value), ":not-held");
  EXPECT_FALSE(h.omniscient);
}

TEST(HistoryReader, TakesEveryShapeOfEdn) {
  expect_lines(read_history_text("; a comment\n[" + std::string(kLines) + "]"));
  expect_lines(read_history_text("(" + std::string(kLines) + ")\n; the end"));
  expect_lines(read_history_text("\xef\xbb\xbf" + std::string(kLines)));
  expect_lines(
      read_history_text("#_{:type :gone} [#jepsen.history.Op{:index 3, :time 5, :type :invoke, :process 0, :f :cas, "
                        ":value [1,2]} #_ \"]\" \r\n"
                        "{\"type\" \"info\" :f \"start\" :process \"nemesis\" :time +6 :index 4N :value nil 7 8}"
                        "{#_ #_ :a :b :type :fail ;comment }\n"
                        " :f :cas :process 0 :time 7 :value [ 1 , 2 ] :error :not-held :index 9}]"));
}

TEST(HistoryReader, TakesEveryShapeOfJson) {
  const std::string a = R"({"type":"invoke","f":"cas","process":0,"time":5,"value":[1,2],"index":3})";
  const std::string b = R"({ "type" : "info" , "f":"start","process":"nemesis","time":6,"index":4})";
  const std::string c =
      R"({"type":"fail","f":":cas","process":0,"time":7,"value":[1,2],"error":":not-held","index":9})";
  expect_lines(read_history_text("[" + a + "," + b + ",\n" + c + "]"));
  expect_lines(read_history_text(a + "\n" + b + "\r\n" + c));
  expect_lines(read_history_text(" [\n" + a + "\n,\t" + b + "," + c + "\n]\n"));
}

TEST(HistoryReader, CountsIndicesAndLeavesTimesOpen) {
  const History h = read_history_text(
      "{:type :invoke :f :a :process 1}{:type :ok :f :a :process 1 :index 7}"
      "{:type :invoke :f nil :process 1 :time nil}");
  EXPECT_EQ(h.operations[0].index, 0u);
  EXPECT_EQ(h.operations[1].index, 7u);
  EXPECT_EQ(h.operations[2].index, 8u);
  EXPECT_EQ(h.operations[0].time, kNoTime);
  EXPECT_EQ(h.operations[2].time, kNoTime);
}

TEST(HistoryReader, KeepsForeignMeaningsOfOurKeysAsExtras) {
  const History h =
      read_history_text("{:type :invoke :f :a :process 1 :token \"uuid\" :hold 77 :object [1] :client \"c\" :by 3}");
  EXPECT_EQ(h.operations[0].hold, kNoHold);
  EXPECT_EQ(h.operations[0].token, kNoToken);
  EXPECT_EQ(h.extras.size(), 5u);
}

TEST(HistoryReader, RenamesFunctions) {
  ReadOptions options;
  options.functions = {{"lock", "acquire"}, {"take", "acquire"}};
  const History h = read_history_text(
      "{:type :invoke :f :lock :process 1} {:type :invoke :f :take :process 2}"
      "{:type :invoke :f :acquire :process 3}",
      options);
  EXPECT_EQ(h.functions.size(), 1u);
  EXPECT_EQ(h.names.view(h.functions[0]), "acquire");
}

TEST(HistoryReader, AnEmptyFileIsAnEmptyHistory) {
  for (const char* text : {"", "  \n", "[]", "()", "; nothing\n", "[ ]\n"}) {
    EXPECT_TRUE(read_history_text(text).operations.empty()) << text;
  }
  ReadOptions json;
  json.format = Format::json;
  EXPECT_TRUE(read_history_text("[]", json).operations.empty());
}

struct Wrong {
  std::string text;
  std::uint64_t line, column;
  std::string found, expected;  // parts of the messages
};

TEST(HistoryReader, SaysWhereAndWhat) {
  const Wrong cases[] = {
      {"hello", 1, 1, "'hello'", "EDN or JSON"},
      {"INFO jepsen", 1, 1, "'INFO'", "EDN or JSON"},
      {"{:type :invoke :f :a :process 1}\n  nonsense", 2, 3, "'nonsense'", "a record"},
      {"[{:type :invoke :f :a :process 1}\n", 2, 1, "the end of the file", "]"},
      {"[{:type :ok :f :a :process 1}\n)", 2, 1, "')'", "a record"},
      {"{:type :invoke\n :f :a\n :process 1", 3, 12, "the end of the file", "}"},
      {"{:type :started :f :a :process 1}", 1, 8, ":started for :type", "invoke, ok, fail or info"},
      {"{:f :a :process 1}", 1, 5, "'a' without :type", "--instant a"},
      {"{:type :ok :f :a}", 1, 1, "a record without :process", "--process-field"},
      {"{:type :ok :f 7 :process 1}", 1, 15, "7 for :f", "name of a function"},
      {"{:type :ok :f :a :process -1}", 1, 27, "-1 for :process", "0 to 2147483647"},
      {"{:type :ok :f :a :process 1.5}", 1, 27, "1.5 for :process", "0 to 2147483647"},
      {"{:type :ok :f :a :process 1 :time \"x\"}", 1, 35, "\"x\" for :time", "a number of time units"},
      {"{:type :ok :f :a :process 1 :process 2}", 1, 38, ":process twice", "distinct"},
      {"{:type :ok :f :a :process 1 :x 1 :x 1}", 1, 37, ":x twice", "distinct"},
      {"{:type :ok :f :a :process 1 :index 3}\n{:type :ok :f :ä :process 1 :index 3}", 2, 36, "3 for :index",
       "from 4 on"},
      {"{:type :ok :f :a :process 1 :index 4294967295}", 1, 36, "4294967295", "below"},
      {"{:type :info :f :begin :process :belief :hold 1}", 1, 47, "1 for :hold", "at most 0"},
      {"{:type :info :f :sideways :process :belief}", 1, 17, ":sideways for :f", "begin, released"},
      {"{:type :ok :f :begin :process :belief}", 1, 8, ":ok for :type", "info"},
      {"[{\"type\":\"ok\",\"f\":\"a\",\"process\":1}\n{\"type\":1}]", 2, 1, "'{'", ", or ]"},
      {"[{\"type\":\"ok\",\"f\":\"a\",\"process\":1},\n]", 2, 1, "']'", "a record"},
      {"{\"type\":\"ok\",\n\"f\":\"a\",\"process\":01}", 2, 20, "'1'", "'}'"},
      {"{\"type\":\"ok\",\n\"f\":\"a\",\"process\":", 2, 19, "the end of the file", ""},
      {"{\"type\":\"ok\",\"f\":\"\xff\"}", 1, 19, "the byte 0xff", ""},
  };
  for (const Wrong& c : cases) {
    try {
      read_history_text(c.text);
      ADD_FAILURE() << c.text;
    } catch (const ReadError& error) {
      EXPECT_EQ(error.file, "text");
      EXPECT_EQ(error.line, c.line) << c.text << "\n" << error.what();
      EXPECT_EQ(error.column, c.column) << c.text << "\n" << error.what();
      EXPECT_NE(error.found.find(c.found), std::string::npos) << c.text << "\n" << error.what();
      EXPECT_NE(error.expected.find(c.expected), std::string::npos) << c.text << "\n" << error.what();
    }
  }
}

TEST(HistoryReader, CountsLinesAcrossChunks) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "{:type :invoke, :f :a, :process 1}\n";
  text += "   oops";
  for (const std::size_t chunk : {std::size_t{1000}, std::size_t{4097}, std::string::npos}) {
    TextSource source(text, chunk);
    try {
      read_history(source, "big.edn");
      ADD_FAILURE();
    } catch (const ReadError& error) {
      EXPECT_STREQ(error.what(), "big.edn:20001:4: found 'oops', expected a record: {");
    }
  }
}

TEST(HistoryReader, RefusesHostileFilesInBoundedMemory) {
  constexpr std::size_t kTen = 10'000'000;
  const std::string open(kTen, '[');
  const std::string objects = [] {
    std::string text;
    while (text.size() < kTen) text += "{\"a\":";
    return text;
  }();
  const std::string maps = [] {
    std::string text;
    while (text.size() < kTen) text += "{:a ";
    return text;
  }();
  const std::string letters(2 * kTen, 'a');
  for (const std::string& text :
       {open, objects, maps, "{:type :ok :value " + open, "{\"type\":\"ok\",\"value\":" + open, "{:type \"" + letters,
        "{\"type\":\"" + letters, "{:" + letters, "{:type " + letters, "#" + letters, "{\"" + letters,
        std::string(kTen, '('), std::string(kTen, '{'), "{:type :ok" + std::string(2 * kTen, ' '),
        "#_" + std::string(kTen, '#')}) {
    EXPECT_THROW(read_history_text(text), ReadError) << text.substr(0, 30);
  }
  // Blanks and comments between records may be as long as they like.
  EXPECT_NO_THROW(read_history_text(std::string(2 * kTen, '\n') + "[]"));
  EXPECT_NO_THROW(read_history_text(";" + std::string(2 * kTen, 'x')));
}

TEST(HistoryReader, SaysThatAFileCannotBeRead) {
  EXPECT_THROW(read_history_file("/nonexistent/history.edn"), ReadError);
  EXPECT_THROW(read_history_file("/tmp"), ReadError);
}

TEST(JsonRecord, TheScannerAgreesWithTheGeneralReader) {
  for (const std::string text :
       {R"({})", R"({ })", R"({"a":1})", R"({"a":-0,"b":0})", R"({"a":"x","b":":x","c":":not one"})",
        R"({"a":null,"b":true,"c":false})", R"({"a":999999999999999999,"b":1234567890123456789})",
        R"({"a":12345678901234567890,"b":123456789012345678901})", R"({"a":1.50,"b":1e2,"c":-1E-7})",
        R"({"a":"tab\tquote\"","é":"é"})", R"({"a":[1,{"b":[]},{}],"c":{"$edn":"#{1 :a}"}})",
        R"({"a":{"$edn":":k"},"b":{"$edn":"\"s\""},"c":{"$edn":"7"},"d":{"$edn":"nil"}})"}) {
    TextSource source(text);
    Window window(source, 1 << 20);
    const auto reader = make_json_reader(window, "text", {});
    Record fast;
    ASSERT_TRUE(reader->next(fast)) << text;
    Record slow;
    read_json_record(text.data(), text.data() + text.size(), {}, slow);
    ASSERT_EQ(fast.fields.size(), slow.fields.size()) << text;
    for (std::size_t i = 0; i < fast.fields.size(); ++i) {
      const Field& x = fast.fields[i];
      const Field& y = slow.fields[i];
      EXPECT_EQ(x.key, y.key) << text;
      EXPECT_EQ(x.kind, y.kind) << text << x.key;
      EXPECT_EQ(x.number, y.number) << text << x.key;
      if (x.kind == Field::Kind::integer) continue;
      EXPECT_EQ(x.text, y.text) << text << x.key;
    }
    EXPECT_FALSE(reader->next(fast));
  }
}

TEST(JsonRecord, RefusesWhatIsNone) {
  for (const std::string text :
       {R"({"a":01})", R"({"a":1.})", R"({"a":.5})", R"({"a":+1})", R"({"a":nul})", R"({"a":1,})", R"({"a" 1})",
        R"({a:1})", R"({"a":"\x"})", R"({"a":"\ud800"})", "{\"a\":\"\n\"}", R"({"a":[1,]})", R"({"a":{"b":1,"b":2}})",
        R"({"a":1e999})", R"({"a":{"$edn":"[1"}})", R"({"a":1}})", R"({"a":[}])", "{\"a\":\"x\0y\"}"}) {
    EXPECT_THROW(read_history_text("{\"type\":\"info\",\"f\":\"x\",\"process\":\"n\"}\n" + text), ReadError) << text;
  }
}

}  // namespace
}  // namespace picklock
