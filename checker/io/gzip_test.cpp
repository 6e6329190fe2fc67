#include "checker/io/gzip.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "checker/io/history_maker_lab.hpp"
#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

struct StringSink final : ByteSink {
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

std::string packed(std::string_view text) {
  StringSink sink;
  PackingSink packing(sink);
  packing.write(text);
  packing.finish();
  return sink.text;
}

std::string unpacked(std::string_view bytes, std::size_t chunk, std::size_t room = 1000) {
  TextSource source(bytes, chunk);
  UnpackingSource unpacking(source, "x.gz");
  std::string all;
  std::string piece(room, '\0');
  while (const std::size_t got = unpacking.read(piece.data(), room)) all.append(piece, 0, got);
  return all;
}

RC_GTEST_PROP(Gzip, GivesBackWhatWasPacked, ()) {
  const auto text = *rc::gen::scale(20.0, rc::gen::arbitrary<std::string>());
  const auto chunk = *rc::gen::inRange<std::size_t>(1, 50);
  const auto room = *rc::gen::inRange<std::size_t>(1, 50);
  RC_ASSERT(unpacked(packed(text), chunk, room) == text);
  RC_ASSERT(unpacked(packed(text) + packed("and more") + std::string(3, '\0'), chunk, room) == text + "and more");
  RC_PRE(text.substr(0, 2) != "\x1f\x8b");
  RC_ASSERT(unpacked(text, chunk, room) == text);
}

RC_GTEST_PROP(Gzip, HistoriesGoRound, ()) {
  const History history = make_history(
      *rc::gen::scale(10.0, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>())));
  const auto format = *rc::gen::element(Format::edn, Format::json);
  const std::string bytes = packed(write_history_text(history, {format}));
  TextSource source(bytes, *rc::gen::inRange<std::size_t>(1, 500));
  RC_ASSERT(first_difference(history, read_history(source, "x.gz")) == std::string());
}

// A damaged file is an error, or gives the same text: the header's time and name are not checked.
RC_GTEST_PROP(Gzip, DamageIsNeverTakenForData, ()) {
  const std::string text = "{:type :invoke :f :acquire :process 0}\n";
  std::string bytes = packed(text);
  const auto at = *rc::gen::inRange<std::size_t>(2, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ *rc::gen::inRange(1, 255));
  try {
    RC_ASSERT(unpacked(bytes, 7) == text);
  } catch (const ReadError& error) {
    RC_ASSERT(error.line == 0u);
  }
}

std::string error_of(std::string_view bytes) {
  try {
    unpacked(bytes, 100);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(Gzip, SaysWhatIsWrong) {
  const std::string whole = packed("some text that is long enough to be packed, packed, packed");
  EXPECT_EQ(error_of(whole), "none");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_EQ(error_of(whole.substr(0, size)), "x.gz: found a gzip file that is cut off, expected a whole gzip file");
  }
  EXPECT_EQ(error_of(whole + "tail"),
            "x.gz: found bytes that are not gzip's after the end of its data, expected a whole gzip "
            "file");
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(error_of(damaged), "x.gz: found damaged gzip data (incorrect data check), expected a whole gzip file");
}

// The checksum at the end decides, not the text that the damage makes.
TEST(Gzip, DamageIsTheErrorAndNotTheTextThatItMakes) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "{:type :invoke, :f :acquire, :process " + std::to_string(i * 7919) + "}\n";
  const std::string whole = packed(text);
  int damaged = 0;
  for (std::size_t at = 20; at + 8 < whole.size(); at += 7) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    TextSource source(bytes);
    try {
      read_history(source, "x.gz");
      ADD_FAILURE() << "damage at byte " << at << " was not noticed";
    } catch (const ReadError& error) {
      EXPECT_NE(std::string(error.what()).find("expected a whole gzip file"), std::string::npos) << error.what();
      ++damaged;
    }
  }
  EXPECT_GT(damaged, 20);
  const std::string wrong = packed("{:type :invoke, :f :acquire, :process }");
  TextSource source(wrong);
  try {
    read_history(source, "x.gz");
    FAIL();
  } catch (const ReadError& error) {
    EXPECT_EQ(std::string(error.what()).find("gzip file"), std::string::npos) << error.what();
  }
}

TEST(Gzip, IsTheSameEveryTime) {
  EXPECT_EQ(packed("text"), packed("text"));
  EXPECT_EQ(packed("text").substr(4, 4), std::string(4, '\0')) << "a time";
}

// 50 MB of blanks in 50 KB, and then a record: it streams through the reader's window.
TEST(Gzip, ABombStreams) {
  StringSink sink;
  PackingSink packing(sink);
  const std::string blanks(1'000'000, '\n');
  for (int i = 0; i < 50; ++i) packing.write(blanks);
  packing.write("{:type :invoke :f :acquire :process 0}");
  packing.finish();
  EXPECT_LT(sink.text.size(), 100'000u);
  TextSource source(sink.text);
  EXPECT_EQ(read_history(source, "bomb").operations.size(), 1u);

  StringSink nest;
  PackingSink nesting(nest);
  for (int i = 0; i < 20; ++i) nesting.write(std::string(1'000'000, '['));
  nesting.finish();
  TextSource nested(nest.text);
  EXPECT_THROW(read_history(nested, "bomb"), ReadError);
}

TEST(Gzip, FilesArePackedByTheirName) {
  const std::string path = ::testing::TempDir() + "picklock_gzip_test.json.gz";
  const History history = read_history_text("{:type :invoke :f :acquire :process 0 :time 5}");
  write_history_file(history, path, {Format::json});
  std::ifstream in(path, std::ios::binary);
  char magic[2] = {};
  in.read(magic, 2);
  EXPECT_EQ(std::string(magic, 2), "\x1f\x8b");
  EXPECT_EQ(first_difference(history, read_history_file(path)), "");
  // gzip(1) takes it for one of its own.
  EXPECT_EQ(std::system(("gzip -t " + path).c_str()), 0);
  std::filesystem::remove(path);
}

TEST(Gzip, AFileThatCouldNotBeWrittenIsNotLeftBehind) {
  const std::string path = ::testing::TempDir() + "picklock_broken_test.edn.gz";
  History history = read_history_text("{:type :ok :f :acquire :process 0}");
  EXPECT_THROW(write_history_file(history, path), WriteError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Gzip, AFileThatCouldNotBeWrittenStaysAsItWas) {
  const std::string folder = ::testing::TempDir() + "picklock_kept_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/a.edn.gz", link = folder + "/link.edn.gz";
  const History good = read_history_text("{:type :invoke :f :acquire :process 0}");
  const History bad = read_history_text("{:type :ok :f :acquire :process 0}");
  write_history_file(good, path);
  EXPECT_THROW(write_history_file(bad, path), WriteError);
  EXPECT_EQ(first_difference(good, read_history_file(path)), "");
  // A link goes on leading to its file.
  std::filesystem::create_symlink("a.edn.gz", link);
  const History longer = read_history_text("{:type :invoke :f :release :process 0}");
  write_history_file(longer, link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(first_difference(longer, read_history_file(path)), "");
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  EXPECT_EQ(files, 2) << "nothing is left beside them";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace picklock
