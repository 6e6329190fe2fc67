#include "bridge/program_servers.hpp"

#include <algorithm>

#include "bridge/redis_servers.hpp"
#include "bridge/zookeeper_servers.hpp"

namespace picklock {
namespace {

bool names(const RedisCommand& command, std::string_view word) {
  for (std::size_t i = 1; i < command.argc(); ++i) {
    if (command.arg(i) == word) return true;
  }
  return false;
}

// A path as a whole or one of its parts, or the data of a node.
bool names(const ZooCall& call, std::string_view word) {
  const std::string path = call.path + "/", part = "/" + std::string(word) + "/";
  if (call.data == word || call.path == word || path.find(part) != std::string::npos) return true;
  return std::any_of(call.parts.begin(), call.parts.end(), [&](const ZooCall& c) { return names(c, word); });
}

void add_words(const RedisCommand& command, std::vector<std::string>& to) {
  for (std::size_t i = 1; i < command.argc(); ++i) to.emplace_back(command.arg(i));
}
void add_words(const ZooCall& call, std::vector<std::string>& to) {
  std::string_view path = call.path;
  for (std::size_t end; !path.empty(); path.remove_prefix(std::min(end + 1, path.size()))) {
    end = std::min(path.find('/'), path.size());
    to.emplace_back(path.substr(0, end));
  }
  to.push_back(call.data);
  for (const ZooCall& part : call.parts) add_words(part, to);
}

}  // namespace

std::vector<std::string> words_of(const ProgramRequest& request) {
  std::vector<std::string> words;
  std::visit([&](const auto& content) { add_words(content, words); }, request.content);
  return words;
}

bool names(const ProgramRequest& request, std::string_view word) {
  return !word.empty() && std::visit([&](const auto& content) { return names(content, word); }, request.content);
}

bool is_service_of_programs(std::string_view service) { return service == "redis" || service == "zookeeper"; }

std::unique_ptr<ProgramServers> servers_of(std::string_view service, const Host& host, const Reach& reach) {
  if (service == "redis") return redis_servers_of(host, reach.get<RedisConnections>(), reach.get<RedisAddresses>());
  if (service == "zookeeper") return zookeeper_servers_of(host, reach.get<ZooConnections>());
  return nullptr;
}

}  // namespace picklock
