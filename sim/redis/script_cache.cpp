#include "sim/redis/script_cache.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/sha1.hpp"

namespace picklock {

bool RedisScriptCache::has(std::string_view text) const {
  return std::any_of(kept_.begin(), kept_.end(), [text](const Kept& k) { return k.text == text; });
}

void RedisScriptCache::keep(std::string_view text) {
  if (!has(text)) kept_.push_back({std::string(text), {}});
}

const std::string* RedisScriptCache::find(std::string_view sha1) {
  std::string wanted(sha1);
  for (char& c : wanted) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c | 0x20);
  }
  for (Kept& k : kept_) {
    if (k.sha1.empty()) k.sha1 = sha1_hex(k.text);
    if (k.sha1 == wanted) return &k.text;
  }
  return nullptr;
}

std::uint64_t RedisScriptCache::fingerprint() const {
  std::uint64_t all = 0;
  for (const Kept& k : kept_) all += hash_of(k.text);
  return all;
}

}  // namespace picklock
