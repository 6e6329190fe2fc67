// RedisScriptCache keeps the texts of the scripts that a server has been given, for EVALSHA.
//
// Like a real server's, the cache is memory of the process: neither the append-only file nor a replica has it. So EVALSHA gets
// NOSCRIPT after a restart and after a failover, until a client sends the text again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {

class RedisScriptCache {
 public:
  bool has(std::string_view text) const;
  void keep(std::string_view text);  // keeps each text once
  // The text whose SHA-1 this is, in any case of letters; null: the server was not given it.
  const std::string* find(std::string_view sha1);
  void clear() { kept_.clear(); }
  std::uint64_t fingerprint() const;

 private:
  struct Kept {
    std::string text;
    std::string sha1;  // empty: no EVALSHA has asked yet
  };
  std::vector<Kept> kept_;
};

}  // namespace picklock
