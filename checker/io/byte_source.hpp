// A reader gets its bytes from a file, standard input, or a text in memory.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace picklock {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads at most `room` > 0 bytes; 0 at the end, and only there.  Throws ReadError.
  virtual std::size_t read(char* into, std::size_t room) = 0;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path);  // "-" is standard input; throws ReadError
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* into, std::size_t room) override;

 private:
  std::string path_;
  int descriptor_;
};

class TextSource final : public ByteSource {
 public:
  // `text` must outlive the source.  `chunk` bounds what one read returns (tests use small ones).
  explicit TextSource(std::string_view text, std::size_t chunk = std::string_view::npos) : rest_(text), chunk_(chunk) {}

  std::size_t read(char* into, std::size_t room) override;

 private:
  std::string_view rest_;
  std::size_t chunk_;
};

}  // namespace picklock
