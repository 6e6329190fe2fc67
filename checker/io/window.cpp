#include "checker/io/window.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace picklock {
namespace {

constexpr std::size_t kChunk = 64 * 1024;

// The position after `from`, if [begin, end) lies between.
Position advance(Position from, const char* begin, const char* end) {
  const char* line = begin;
  while (line < end) {
    const void* const newline = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
    if (newline == nullptr) break;
    line = static_cast<const char*>(newline) + 1;
    ++from.line;
    from.column = 1;
  }
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; };
  from.column += static_cast<std::uint64_t>((end - line) - std::count_if(line, end, continues));
  return from;
}

}  // namespace

Window::Window(ByteSource& source, std::size_t limit)
    : source_(source), limit_(limit), bytes_(std::min(kChunk, limit) + 1, '\0') {
  extend();
}

void Window::extend() {
  assert(!last_ && !full());
  if (begin_ > 0) {
    origin_ = seen_ = position(bytes_.data() + begin_);
    seen_at_ = 0;
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // A record that fills the window doubles it: re-scanning costs at most as much again.
  if (end_ * 2 >= bytes_.size()) bytes_.resize(std::min(limit_, 2 * bytes_.size()) + 1);
  const std::size_t room = std::min(bytes_.size() - 1, limit_) - end_;
  const std::size_t got = source_.read(bytes_.data() + end_, room);
  end_ += got;
  bytes_[end_] = '\0';
  if (got == 0) last_ = true;
}

Position Window::position(const char* at) const {
  const auto place = static_cast<std::size_t>(at - bytes_.data());
  if (place < seen_at_) return advance(origin_, bytes_.data(), at);
  seen_ = advance(seen_, bytes_.data() + seen_at_, at);
  seen_at_ = place;
  return seen_;
}

}  // namespace picklock
