// Tests that a file that is no history is called what it is.
#include "checker/io/stranger.hpp"

#include <gtest/gtest.h>

#include <string>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

using namespace std::string_literals;

std::string refusal(const std::string& bytes, Format format = Format::automatic) {
  ReadOptions options;
  options.format = format;
  try {
    read_history_text(bytes, options);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(Stranger, SaysWhatTheFileIsAndHowToReadIt) {
  const std::string record = "{:type :info, :f :start, :process :nemesis}\n";
  struct StrangeFile {
    std::string bytes, found, expected;
  };
  std::string tar(257, 'x'), wide;
  for (const char c : record) wide += std::string(1, c) + '\0';
  const StrangeFile cases[] = {
      {"\x28\xb5\x2f\xfd\x04\x00"s, "a file packed by zstd", "zstd -dc FILE | picklock check -"},
      {"\xfd"
       "7zXZ\0abc"s,
       "a file packed by xz", "xz -dc FILE"},
      {"BZh91AY&SY"s, "a file packed by bzip2", "bzip2 -dc FILE"},
      {"\x04\x22\x4d\x18zz"s, "a file packed by lz4", "lz4 -dc FILE"},
      {"PK\x03\x04zz"s, "a zip archive", "unzip -p FILE"},
      {tar + "ustar\0"s, "a tar archive", "tar -xOf FILE"},
      {"JEPSEN\0\0"s, "a store of Jepsen's", "history.edn"},
      {"SQLite format 3\0 "s, "an SQLite database", "a history as text"},
      {"\xff\xfe"s + wide, "a text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
      {wide, "a text in UTF-16", "iconv -f UTF-16LE"},
      {'\0' + wide, "a text in UTF-16", "iconv -f UTF-16BE"},
      {record + "\x01\x02\0\0"s, "the byte 0x00", "a history as text"},
  };
  for (const StrangeFile& c : cases) {
    for (const Format format : {Format::automatic, Format::edn, Format::json, Format::csv}) {
      const std::string said = refusal(c.bytes, format);
      EXPECT_NE(said.find("found " + c.found), std::string::npos) << said;
      EXPECT_NE(said.find(c.expected), std::string::npos) << said;
    }
  }
  EXPECT_EQ(refusal(record), "none");
  EXPECT_EQ(refusal("\xef\xbb\xbf" + record), "none") << "UTF-8 with a mark of its byte order";
  EXPECT_EQ(refusal(record + "\0"s).find("text:2:1: found the byte 0x00"), 0U);
  EXPECT_EQ(refusal(""), "none");
  EXPECT_EQ(refusal("B"), refusal("B")) << "shorter than any mark";
}

}  // namespace
}  // namespace picklock
