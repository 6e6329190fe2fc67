#include "scenarios/run/record.hpp"

#include "base/check.hpp"
#include "scenarios/services/service.hpp"
#include "sim/storage/words.hpp"

namespace picklock {

const std::vector<TraceRecord>& RunRecord::full_trace() const {
  PICKLOCK_CHECK(trace.records_fully());
  return trace.full();
}

const Surroundings& RunRecord::around() const {
  PICKLOCK_CHECK(surroundings.has_value());
  return *surroundings;
}

std::string words_of_message(const RunCast& cast, NodeId from, NodeId to, std::string_view body, bool answers) {
  const std::size_t storage = cast.servers + 1;
  if (from == storage || to == storage) return words_of_storage_message(body, from == storage);
  if (cast.service == nullptr || cast.service->message_words == nullptr) return "";
  const auto is_server = [&](NodeId node) { return node <= cast.servers; };
  const bool among_servers = is_server(from) && is_server(to);
  return cast.service->message_words({body, among_servers ? answers : is_server(from), among_servers});
}

}  // namespace picklock
