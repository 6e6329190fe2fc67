// A leader judges a request before it proposes it: is it valid, and what will it do?
//
// Requests are judged by the tree as it will be once all that was proposed before has been applied:
// the tree, and over it the changes that are under way (PrepRequestProcessor.outstandingChanges).
// Owners of sessions, SessionMoved and SessionExpired are judged before (sessions.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "sim/zookeeper/tree.hpp"

namespace picklock {

class ZooTreeChanges {
 public:
  explicit ZooTreeChanges(const ZooTree& tree) : tree_(&tree) {}

  // Prepares create, remove, set_data, check or multi; a refusal is a transaction too, of kind error.
  ZooTxn prepare(const ZooRequest& request, std::int64_t session, std::int64_t zxid);
  // The leader's own deletion of an empty container; an error if it is not one any more.
  ZooTxn prepare_container_removal(std::string_view path, std::int64_t zxid);
  ZooTxn prepare_close(std::int64_t session, std::int64_t zxid);
  static ZooTxn prepare_session(std::int64_t session, std::int64_t timeout_ms, std::uint64_t password);

  void applied(std::int64_t zxid);      // everything up to it is in the tree now
  void clear() { under_way_.clear(); }  // call it when the server leads no longer
  std::size_t under_way() const { return under_way_.size(); }

 private:
  struct Change {  // future state of one node
    std::int64_t zxid = 0;
    ZooPath path;
    bool exists = true;
    std::int32_t version = 0, creates = 0, children = 0;
    std::int64_t owner = 0;
    bool container = false;
  };
  template <class Path>
  std::optional<Change> look(const Path& path) const;  // a text or a ZooPath; nothing: no such node
  void note(Change change, std::int64_t zxid);
  ZooTxn part(const ZooCall& request, std::int64_t session, std::int64_t zxid);
  ZooTxn create(const ZooCall& request, std::int64_t session, std::int64_t zxid);
  ZooTxn remove(const ZooCall& request, std::int64_t session, std::int64_t zxid);
  void note_removal(const ZooPath& path, std::int64_t zxid);

  const ZooTree* tree_;
  std::deque<Change> under_way_;  // sorted by zxid; few, so a path is searched for in all of them
};

}  // namespace picklock
