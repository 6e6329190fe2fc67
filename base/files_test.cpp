#include "base/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace picklock {
namespace files_test {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("picklock_files_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::stringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string complaint(const std::string& at, const std::string& bytes = "bytes") {
    try {
      write_file(at, bytes);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  // The broken twin: every output becomes a new file in place of the old one.
  void write_by_replacing(const std::string& name, const std::string& bytes) const {
    std::ofstream(path("twin")) << bytes;
    fs::rename(path("twin"), path(name));
  }

  fs::path folder_;
};

TEST_F(Files, ReplacesAFileWithItsPermissions) {
  write_file(path("a"), "one");
  EXPECT_EQ(content("a"), "one");
  ::chmod(path("a").c_str(), 0640);
  write_file(path("a"), "two");
  EXPECT_EQ(content("a"), "two");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms{0640});
  EXPECT_EQ(entries(), 1u) << "nothing is left beside it";
}

TEST_F(Files, LeavesTheFileWithoutClose) {
  write_file(path("a"), "one");
  {
    OutputFile file(path("a"));
    file.write("half");
  }
  EXPECT_EQ(content("a"), "one");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, KeepsLinksAndWritesWhereTheyLead) {
  fs::create_directories(path("deep"));
  write_file(path("deep/target"), "one");
  fs::create_symlink("deep/target", path("link"));
  fs::create_symlink("link", path("link_to_link"));
  fs::create_symlink("deep/not_there_yet", path("dangling"));
  write_file(path("link_to_link"), "two");
  write_file(path("dangling"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("link_to_link")) && fs::is_symlink(path("dangling")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path("deep/target"))));
  EXPECT_EQ(content("deep/target"), "two");
  EXPECT_EQ(content("deep/not_there_yet"), "new");
  write_by_replacing("link", "three");
  EXPECT_FALSE(fs::is_symlink(path("link"))) << "a writer that replaces is told from one that keeps";
  EXPECT_EQ(content("deep/target"), "two");
}

TEST_F(Files, TellsOfLinksInACircle) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_NE(complaint(path("a")).find("a: cannot be written: "), std::string::npos) << complaint(path("a"));
}

TEST_F(Files, WritesThroughAFifo) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content("fifo"); });
  write_file(path("fifo"), "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  EXPECT_TRUE(is_written_through(path("fifo")));
  write_by_replacing("fifo", "over");
  EXPECT_FALSE(fs::is_fifo(path("fifo")));
}

TEST_F(Files, TellsOfAReaderThatGoesAway) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::thread reader([&] { ::close(::open(path("fifo").c_str(), O_RDONLY)); });
  const std::string said = complaint(path("fifo"), std::string(std::size_t{1} << 22, 'x'));
  reader.join();
  EXPECT_NE(said.find("fifo: cannot be written: "), std::string::npos) << said;
}

TEST_F(Files, TellsOfAFullDeviceAndLeavesIt) {
  if (::mknod(path("full").c_str(), S_IFCHR | 0600, ::makedev(1, 7)) != 0)
    GTEST_SKIP() << "mknod is not permitted here";
  if (::access(path("full").c_str(), W_OK) != 0 || ::open(path("full").c_str(), O_WRONLY) < 0)
    GTEST_SKIP() << "devices in " << folder_ << " cannot be opened";
  const std::string said = complaint(path("full"));
  EXPECT_NE(said.find("full: cannot be written: No space left on device"), std::string::npos) << said;
  EXPECT_TRUE(fs::is_character_file(path("full")));
  fs::create_symlink("full", path("link"));
  EXPECT_NE(complaint(path("link")), "");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(Files, GoesOnWhereADescriptorStands) {
  const int fd = ::open(path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  const std::string number = std::to_string(fd);
  write_file("/dev/fd/" + number, "first ");
  write_file("/proc/self/fd/" + number, "second ");
  fs::create_symlink("/dev/fd/" + number, path("link"));
  write_file(path("link"), "third");
  ::close(fd);
  EXPECT_EQ(content("log"), "before first second third");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_NE(complaint("/dev/fd/" + number), "") << "it is closed";
}

TEST_F(Files, RefusesAFolderAndAFileThatMayNotBeWritten) {
  fs::create_directories(path("folder"));
  EXPECT_NE(complaint(path("folder")).find("Is a directory"), std::string::npos);
  EXPECT_NE(complaint(path("none/file")).find("none/file: cannot be created"), std::string::npos);
  write_file(path("mine"), "one");
  ::chmod(path("mine").c_str(), 0400);
  if (::access(path("mine").c_str(), W_OK) == 0) GTEST_SKIP() << "this user may write every file";
  EXPECT_NE(complaint(path("mine")).find("Permission denied"), std::string::npos);
  EXPECT_EQ(content("mine"), "one");
}

}  // namespace files_test
}  // namespace picklock
