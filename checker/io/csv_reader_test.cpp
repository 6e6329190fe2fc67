#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "checker/io/csv_line.hpp"
#include "checker/io/history_maker_lab.hpp"
#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

ReadOptions as_csv() {
  ReadOptions options;
  options.format = Format::csv;
  return options;
}

TEST(Csv, IsTheSameHistoryAsInEdn) {
  const History csv = read_history_text(
      "process,type,f,value,time,note\r\n"
      "0,invoke,cas,\"[1 2]\",10,\r\n"
      "1,invoke,write, \"say \"\"hi\"\",\nthen go\" ,20,:keyword\r\n"
      "\r\n"
      "0,ok,cas,\"[1, 2]\",30,\"\"\r\n"
      "nemesis,info,kill,n1,35,[x\r\n"
      "1,fail,write,,-40,007");
  const History edn = read_history_text(
      "{:process 0 :type :invoke :f :cas :value [1 2] :time 10 :note nil}"
      "{:process 1 :type :invoke :f :write :value \"say \\\"hi\\\",\\nthen go\" :time 20 :note :keyword}"
      "{:process 0 :type :ok :f :cas :value [1 2] :time 30 :note \"\"}"
      "{:process :nemesis :type :info :f :kill :value \"n1\" :time 35 :note \"[x\"}"
      "{:process 1 :type :fail :f :write :value nil :time -40 :note \"007\"}");
  EXPECT_EQ(first_difference(csv, edn), "");
}

TEST(Csv, IsSeparatedAsItsHeaderIs) {
  const std::string comma = "process,type,f,value\n0,invoke,write,\"a;b\"\n0,ok,write,\"a;b\"\n";
  std::string semicolon = "\xef\xbb\xbfprocess; type ;f;value\n0;invoke;write;\"a;b\"\n0;ok;write;\"a;b\"";
  EXPECT_EQ(first_difference(read_history_text(comma), read_history_text(semicolon)), "");
  EXPECT_EQ(first_difference(read_history_text(comma),
                             read_history_text("process\ttype\tf\tvalue\n0\tinvoke\twrite\ta;b\n0\tok\twrite\ta;b\n")),
            "");
}

TEST(Csv, IsRecognisedByItsHeader) {
  EXPECT_EQ(separator_of_header("process,type,f"), ',');
  EXPECT_EQ(separator_of_header("at; \"what happened\";x"), std::nullopt);
  EXPECT_EQ(separator_of_header("at; \"what.happened\";x_1"), ';');
  EXPECT_EQ(separator_of_header("a\tb\r"), '\t');
  for (const char* line :
       {"", "process", "process,", ",process", "a,b c", "1,2", "Hello, my friend!", "a,b,c\",", "a,,b"})
    EXPECT_EQ(separator_of_header(line), std::nullopt) << line;
  TextSource source("time,process,type,f\n1,0,invoke,acquire\n", 1);
  History tables;
  EXPECT_EQ(HistoryReader(source, "x", tables).format(), Format::csv);
}

TEST(Csv, AHeaderAloneIsAnEmptyHistory) {
  EXPECT_TRUE(read_history_text("process,type,f\n").operations.empty());
  EXPECT_TRUE(read_history_text("process,type,f").operations.empty());
}

std::string csv_error(const std::string& text, ReadOptions options = as_csv()) {
  try {
    read_history_text(text, options);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(Csv, SaysWhereAndWhat) {
  const std::string header = "process,type,f\n";
  EXPECT_EQ(csv_error(header + "0,invoke\n"), "text:2:1: found 2 cells, expected 3, as in the header");
  EXPECT_EQ(csv_error(header + "0,invoke,acquire\n0,ok,acquire,é,7\n"),
            "text:3:14: found 5 cells, expected 3, as in the header");
  EXPECT_EQ(csv_error(header + "0,\"invoke,acquire\n0,ok,acquire\n"),
            "text:2:3: found a quote that nothing closes, expected \" at the end of the cell");
  EXPECT_EQ(csv_error(header + "0,in\"voke,acquire\n"),
            "text:2:5: found a quote within a cell, expected the whole cell in quotes, and this one doubled");
  EXPECT_EQ(
      csv_error(header + "0,\"invoke\"x,acquire\n"),
      "text:2:11: found 'x' behind a cell in quotes, expected a separator or the end of the line; quotes within quotes "
      "are doubled");
  EXPECT_EQ(csv_error("process,type,f,type\n"),
            "text:1:16: found the column 'type' twice, expected distinct names in the header");
  EXPECT_EQ(csv_error("process\n0\n"),
            "text:1:1: found the one column 'process', expected a header that names two columns or more, separated by "
            "commas, semicolons or tabs");
  EXPECT_EQ(csv_error(header + "0,invoke,\xff\n"),
            "text:2:10: found bytes that are not UTF-8, expected a cell in UTF-8");
  EXPECT_EQ(csv_error(header + "0,begin,acquire\n").substr(0, 34), "text:2:3: found \"begin\" for :type,");
  ReadOptions small = as_csv();
  small.limits.token = 100;
  EXPECT_EQ(csv_error(header + "0,invoke," + std::string(101, 'x'), small),
            "text:2:10: found a cell longer than 100 bytes");
  small.limits.record = 1000;
  EXPECT_EQ(csv_error(header + "0,invoke,\"" + std::string(2000, 'x'), small),
            "text:2:1: found a record longer than 1000 bytes");
  EXPECT_EQ(csv_error(std::string(3000, ',')).substr(0, 33), "text:1:1025: found more than 1024");
}

TEST(Csv, NamesTheNearestColumn) {
  ReadOptions options = as_csv();
  options.fields.lock = "ordr";
  EXPECT_EQ(
      csv_error("process,type,f,order\n0,invoke,acquire,7\n", options),
      "text: found no record with a field 'ordr', expected one of process, type, f, order; did you mean 'order'?");
}

std::string quoted_cell(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// CSV and EDN of one history mean the same, wherever the window ends.
RC_GTEST_PROP(Csv, SaysWhatEdnSays, ()) {
  const History made = make_history(
      *rc::gen::scale(10.0, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>())));
  std::string csv = "process,type,f,time,value\n", edn;
  for (const OperationEvent& event : made.operations) {
    if (event.process < 0 || event.time == kNoTime) continue;
    const bool number = event.value.is_integer();
    const std::string value = number ? made.values.edn(event.value) : "x\"," + made.values.edn(event.value) + "\n";
    const char* const types[] = {"invoke", "ok", "fail", "info"};
    const std::string type = types[static_cast<std::size_t>(event.type)];
    csv += std::to_string(event.process) + "," + type + ", f ," + std::to_string(event.time) + "," +
           (number ? value : quoted_cell(value)) + "\r\n";
    edn += "{:process " + std::to_string(event.process) + " :type :" + type + " :f \"f\" :time " +
           std::to_string(event.time) + " :value ";
    if (number) {
      edn += value;
    } else {
      append_edn_string(edn, value);
    }
    edn += "}\n";
  }
  TextSource source(csv, *rc::gen::inRange<std::size_t>(1, 40));
  RC_ASSERT(first_difference(read_history(source, "text", as_csv()), read_history_text(edn)) == std::string());
}

}  // namespace
}  // namespace picklock
