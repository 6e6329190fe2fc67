// Jute, the protocol between ZooKeeper clients and servers, without any input or output of its own: a server's side of one
// connection, bytes in, requests out, and back.
//
//   JuteConnection jute;
//   jute.feed(bytes);
//   while (auto request = jute.next()) …        // to the simulated server
//   to_client += jute.write(reply);             // a reply of the server, in its order
//   if (jute.failed()) …                        // close the connection, as a real server does
//
// From:      zookeeper.jute and FinalRequestProcessor of ZooKeeper 3.8; the frames of kazoo 2.8 and of the C client.
// Answered here, without the simulated server: addauth and what ZooAnswer has no room for (getACL, addWatch, TTL nodes: Unimplemented).
// Left out: ACLs (all that a request brings are ignored), ctime and mtime (0), read-only servers, SASL, TLS, words of four letters.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/zookeeper/wire.hpp"

namespace picklock {

class JuteConnection {
 public:
  // A real server's jute.maxbuffer.
  static constexpr std::int32_t kMostBytes = 0xfffff;

  void feed(std::string_view bytes) { bytes_ += bytes; }
  // The next whole request for the server; nothing: the rest has not come yet, or the bytes are wrong.
  std::optional<ZooRequest> next();
  // The frames of this message of the server, and of the answers given here that had to wait for it.
  std::string write(const ZooReply& reply);
  // What is answered here and need not wait for the server.
  std::string take_own_answers();
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  // A numbered request whose answer has not been written.
  struct Asked {
    std::int32_t xid = 0, type = 0;
    bool answered_here = false;  // true: `code` is the answer
    std::int32_t code = 0;
    std::vector<std::int32_t> parts;  // types of a multi's parts
  };
  std::optional<std::string_view> frame();
  std::optional<ZooRequest> read_greeting(std::string_view frame);
  std::optional<ZooRequest> read_request(std::string_view frame);
  void answer_here(std::int32_t xid, std::int32_t type, std::int32_t code);
  std::string write_welcome(const ZooReply& reply) const;

  std::string bytes_;
  std::size_t at_ = 0;  // bytes before it are taken
  std::string error_;
  bool greeted_ = false, welcomed_ = false, asks_for_read_only_ = false;
  std::deque<Asked> asked_;
};

}  // namespace picklock
