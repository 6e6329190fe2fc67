#include "checker/io/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "checker/io/read_error.hpp"

namespace picklock {
namespace {

constexpr std::size_t kPackedMax = 64 * 1024;
constexpr int kGzipWindow = 15 + 16;  // the largest window; + 16: gzip instead of zlib's own frame

Bytef* bytes(const char* text) {  // zlib reads only, but takes no const without ZLIB_CONST
  return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}

uInt bounded(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

struct UnpackingSource::Inflater {
  Inflater() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
};

UnpackingSource::UnpackingSource(ByteSource& source, std::string file)
    : source_(source), file_(std::move(file)), packed_(kPackedMax) {}

UnpackingSource::~UnpackingSource() = default;

void UnpackingSource::fail(std::string found) const {
  throw ReadError(file_, {0, 0}, std::move(found), "a whole gzip file");
}

bool UnpackingSource::fill() {
  std::copy(packed_.begin() + static_cast<std::ptrdiff_t>(begin_), packed_.begin() + static_cast<std::ptrdiff_t>(end_),
            packed_.begin());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read(packed_.data() + end_, packed_.size() - end_);
  end_ += got;
  return got > 0;
}

std::size_t UnpackingSource::pass(char* into, std::size_t room) {
  if (begin_ == end_) return source_.read(into, room);
  const std::size_t count = std::min(room, end_ - begin_);
  std::copy_n(packed_.data() + begin_, count, into);
  begin_ += count;
  return count;
}

void UnpackingSource::check_rest() {
  if (inflater_ == nullptr) return;
  std::vector<char> piece(kPackedMax);
  while (read(piece.data(), piece.size()) > 0) {
  }
}

// The end of a member is followed by another member, by padding, or by the end.
bool UnpackingSource::next_member() {
  while (true) {
    while (begin_ < end_ && packed_[begin_] == '\0') ++begin_;
    if (begin_ < end_) break;
    if (!fill()) return false;
  }
  if (packed_[begin_] != '\x1f') fail("bytes that are not gzip's after the end of its data");
  inflateReset(&inflater_->stream);
  return true;
}

std::size_t UnpackingSource::read(char* into, std::size_t room) {
  if (!begun_) {
    begun_ = true;
    while (end_ < 2 && fill()) {
    }
    if (end_ >= 2 && packed_[0] == '\x1f' && packed_[1] == '\x8b') {
      inflater_ = std::make_unique<Inflater>();
      in_member_ = true;
    }
  }
  if (inflater_ == nullptr) return pass(into, room);

  z_stream& stream = inflater_->stream;
  stream.next_out = bytes(into);
  stream.avail_out = bounded(room);
  const uInt wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (!in_member_) {
      if (!next_member()) return 0;
      in_member_ = true;
    }
    if (begin_ == end_ && !fill()) fail("a gzip file that is cut off");
    stream.next_in = bytes(packed_.data() + begin_);
    stream.avail_in = bounded(end_ - begin_);
    const int result = inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail(fmt::format("damaged gzip data ({})", stream.msg != nullptr ? stream.msg : "it needs a dictionary"));
    }
  }
  return wanted - stream.avail_out;
}

struct PackingSink::Deflater {
  Deflater() {
    constexpr int kMemoryLevel = 8;  // zlib's default
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  z_stream stream{};
};

PackingSink::PackingSink(ByteSink& sink) : sink_(sink), deflater_(std::make_unique<Deflater>()) {}

PackingSink::~PackingSink() = default;

void PackingSink::deflate_all(int flush) {
  std::array<char, 16 * 1024> packed{};
  z_stream& stream = deflater_->stream;
  do {
    stream.next_out = bytes(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, flush);
    sink_.write({packed.data(), packed.size() - stream.avail_out});
  } while (stream.avail_out == 0);
}

void PackingSink::write(std::string_view text) {
  while (!text.empty()) {
    const uInt count = bounded(text.size());
    deflater_->stream.next_in = bytes(text.data());
    deflater_->stream.avail_in = count;
    deflate_all(Z_NO_FLUSH);
    text.remove_prefix(count);
  }
}

void PackingSink::finish() {
  deflater_->stream.next_in = nullptr;
  deflater_->stream.avail_in = 0;
  deflate_all(Z_FINISH);
}

}  // namespace picklock
