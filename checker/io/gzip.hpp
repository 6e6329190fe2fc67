// Reads and writes gzip (RFC 1952) through zlib, a piece at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/io/byte_source.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {

// The bytes of `source`, unpacked if they begin with gzip's magic number, and otherwise as they are.
// Several members one after the other are one text; zeros after the last are padding.  A truncated
// or damaged file is a ReadError of the file as a whole.
class UnpackingSource final : public ByteSource {
 public:
  // `source` must outlive this.
  UnpackingSource(ByteSource& source, std::string file);
  ~UnpackingSource() override;
  UnpackingSource(const UnpackingSource&) = delete;
  UnpackingSource& operator=(const UnpackingSource&) = delete;

  std::size_t read(char* into, std::size_t room) override;

  // Reads the rest of a packed file, which ends with a checksum; so what makes no sense in its text is known to be
  // damage.  Throws as `read` does.  A file that is not packed is left alone.
  void check_rest();

 private:
  struct Inflater;

  bool fill();  // reads more packed bytes; false at their end
  std::size_t pass(char* into, std::size_t room);
  bool next_member();
  [[noreturn]] void fail(std::string found) const;

  ByteSource& source_;
  std::string file_;
  std::vector<char> packed_;
  std::size_t begin_ = 0, end_ = 0;     // unread part of packed_
  std::unique_ptr<Inflater> inflater_;  // exists if the source is packed
  bool in_member_ = false;
  bool begun_ = false;
};

// Packs what is written to it.  Its bytes depend on nothing but the text and zlib's version: no
// time, no file name.
class PackingSink final : public ByteSink {
 public:
  // `sink` must outlive this.
  explicit PackingSink(ByteSink& sink);
  ~PackingSink() override;
  PackingSink(const PackingSink&) = delete;
  PackingSink& operator=(const PackingSink&) = delete;

  void write(std::string_view bytes) override;
  void finish();  // writes the rest; without it the file is truncated

 private:
  struct Deflater;

  void deflate_all(int flush);

  ByteSink& sink_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace picklock
