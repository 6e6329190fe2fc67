#include "scenarios/services/zookeeper/zookeeper_messages.hpp"

#include <algorithm>

#include "sim/zookeeper/wire.hpp"
#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

std::string zookeeper_message_words(const CarriedMessage& message) {
  if (message.among_servers) {
    ZabPacket packet;
    if (!decode(message.body, packet)) return "";
    std::string kind(to_string(packet.kind));  // packed messages among servers show their kind alone
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return packet.zxid == 0 ? kind : kind + " " + zab_text(packet.zxid);
  }
  if (message.answers) {
    ZooReply reply;
    return decode(message.body, reply) ? reply.to_string() : "";
  }
  ZooRequest request;
  return decode(message.body, request) ? request.to_string() : "";
}

}  // namespace picklock
