// The data of a ZooKeeper server: znodes, and the table of sessions; changed by transactions alone.
//
//   ZooTxn txn = changes.prepare(request, session, zxid);     // the leader prepares it: tree_changes.hpp
//   ZooReply reply = tree.apply(txn, zxid, effects);          // every server applies it, in the order of zxids
//
// A transaction carries its outcome (the name with its number, the new versions), so that every
// server becomes the same by it; equal prefixes of the log give equal trees and equal digests.
//
// From: DataTree, DataNode, PrepRequestProcessor of ZooKeeper 3.8.  Left out: ACLs, quotas, ctime and
// mtime, TTL nodes, the nodes below /zookeeper; snapshots are not fuzzy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/zookeeper/path.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

struct ZooTxn {
  enum class Kind : std::uint8_t {
    error,  // changes nothing: the request was refused, for `code`
    create,
    remove,
    set_data,
    check,
    multi,
    create_session,
    close_session
  };
  Kind kind = Kind::error;
  ZooCode code = ZooCode::ok;
  ZooPath path;
  std::string data;
  std::int64_t session = 0;     // session of the client that asked; 0: the server itself
  bool ephemeral = false;       // create only
  bool container = false;       // create only
  std::int32_t version = 0;     // create: the parent's counter afterwards; set_data: the node's
  std::int64_t timeout_ms = 0;  // create_session: its timeout
  std::uint64_t password = 0;   // create_session: its password
  std::vector<ZooTxn> parts;    // multi: if one part is an error all are, and nothing changes
  // Provenance, for the judge: on behalf of which hold the request was sent.  No server decides by it.
  std::uint32_t hold = 0;

  bool operator==(const ZooTxn&) const = default;
};
void encode(const ZooTxn& txn, std::string& to);    // appends
bool decode(std::string_view packed, ZooTxn& txn);  // reuses the value's memory

// One node that a transaction has changed; for watches and for the judge.
struct ZooEffect {
  enum class Kind : std::uint8_t { created, deleted, data_changed };
  Kind kind = Kind::created;
  ZooPath path;
  std::int64_t czxid = 0;
  std::int64_t owner = 0;  // the session, if it is ephemeral
};

struct ZooSessionEntry {
  std::int64_t timeout_ms = 0;
  std::uint64_t password = 0;
  bool operator==(const ZooSessionEntry&) const = default;
};

enum class ZooOverflow : std::uint8_t {
  negative,  // the counter behind sequential names goes on at -2147483648 (until 3.5, and the manual)
  sticks     // the counter never falls, so it stays at 2147483647 (DataTree.createNode since 3.6)
};

// A directory that is there before the first transaction, with a history behind it.
struct ZooDirectory {
  std::string path;
  std::int32_t creates = 0;  // number of children ever created
  bool container = false;
  bool operator==(const ZooDirectory&) const = default;
};

class ZooTree {
 public:
  struct Node {
    ZooPath path;
    std::string data;
    std::int64_t czxid = 0, mzxid = 0, pzxid = 0;
    std::int32_t version = 0;
    std::int32_t creates = 0;  // number of children ever created; sequential names use it
    std::int64_t owner = 0;    // session; 0: not ephemeral
    bool container = false;
    // Sorted by a hash of their names: like those of a Java set, in no order that means anything.
    std::vector<ZooPath> children;
    bool operator==(const Node&) const = default;

    ZooStat stat() const;
  };

  // The parents of a directory stand before it.
  explicit ZooTree(ZooOverflow overflow = ZooOverflow::negative, std::vector<ZooDirectory> directories = {})
      : overflow_(overflow), directories_(std::move(directories)) {
    clear();
  }
  ZooTree(ZooTree&&) = default;
  ZooTree& operator=(ZooTree&&) = default;
  void clear();

  // Returns the answer for the client of that request.  Appends to `effects`.
  ZooReply apply(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects);
  // `reply`: null if no client waits for the answer.
  void apply(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooReply* reply);

  // exists, get_data, get_children
  ZooReply read(const ZooRequest& request) const;
  const Node* find(std::string_view path) const;
  const Node* find(const ZooPath& path) const { return node_at(path.hash(), path); }
  std::size_t size() const { return nodes_.size(); }
  std::vector<const Node*> nodes() const;  // sorted by path
  std::int64_t last_zxid() const { return last_zxid_; }

  // The replicated table: sessions that have been created and not closed.
  const std::map<std::int64_t, ZooSessionEntry>& sessions() const { return sessions_; }
  const ZooSessionEntry* find_session(std::int64_t session) const;
  std::vector<ZooPath> ephemerals_of(std::int64_t session) const;  // sorted by path
  // Empty containers that had children once: what the leader deletes every 60 s.
  std::vector<std::string> containers_to_remove() const;

  std::string snapshot() const;
  bool load(std::string_view snapshot);  // false, and empty, if it is none
  std::uint64_t digest() const;          // digest of everything; equal trees have equal digests

 private:
  struct Place {
    std::uint64_t hash;  // hash of the node's path
    std::unique_ptr<Node> node;
    Node* parent;  // the root is its own parent
  };
  using Places = std::vector<Place>;

  ZooCode apply_part(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooAnswer* answer);
  ZooCode create(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooAnswer* answer);
  ZooCode remove(const ZooPath& path, std::int64_t zxid, std::vector<ZooEffect>& effects);
  template <class Path>
  Places::const_iterator place_of(std::uint64_t hash, const Path& path) const;  // place where it is, or would be
  template <class Path>
  Node* node_at(std::uint64_t hash, const Path& path) const {
    const auto place = place_of(hash, path);
    return place != nodes_.end() && place->hash == hash ? place->node.get() : nullptr;
  }
  Node* parent_of(const ZooPath& path) const { return node_at(path.parent_hash(), path.parent()); }
  Node* make(const ZooPath& path, Node* parent);  // null: there is one already; of the root no parent is given
  void make_root() { make(ZooPath("/"), nullptr); }

  ZooOverflow overflow_;
  std::vector<ZooDirectory> directories_;
  Places nodes_;  // keyed by hash
  std::map<std::int64_t, ZooSessionEntry> sessions_;
  std::set<std::string> containers_;
  std::int64_t last_zxid_ = 0;
};

// A path is a text, or a ZooPath, which mostly shares all with the node's.
template <class Path>
ZooTree::Places::const_iterator ZooTree::place_of(std::uint64_t hash, const Path& path) const {
  auto place =
      std::lower_bound(nodes_.begin(), nodes_.end(), hash, [](const Place& p, std::uint64_t h) { return p.hash < h; });
  while (place != nodes_.end() && place->hash == hash && !(place->node->path == path)) ++place;
  return place;
}

// "%010d": ten digits, the sign among them.
std::string zoo_sequence_suffix(std::int32_t counter);

}  // namespace picklock
