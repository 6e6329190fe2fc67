// A reply in its bytes: on the stack, unless it is long.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/redis/wire.hpp"

namespace picklock {

class EncodedReply {
 public:
  explicit EncodedReply(const RedisReply& reply) : size_(encoded_size(reply)) {
    if (size_ > small_.size()) large_.resize(size_);
    encode(reply, size_ > small_.size() ? large_.data() : small_.data());
  }
  std::string_view view() const { return {size_ > small_.size() ? large_.data() : small_.data(), size_}; }

 private:
  std::size_t size_;
  std::string large_;
  std::array<char, 256> small_;
};

}  // namespace picklock
