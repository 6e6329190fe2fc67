#include "sim/zookeeper/tree.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace picklock {
namespace {

ZooEffect effect_of(ZooEffect::Kind kind, const ZooTree::Node& node) {
  return {kind, node.path, node.czxid, node.owner};
}

// Place where a child of that path is, or would be.
template <class Children>
auto place_among(Children& children, const ZooPath& path) {
  return std::lower_bound(children.begin(), children.end(), path, [](const ZooPath& a, const ZooPath& b) {
    return a.name_hash() != b.name_hash() ? a.name_hash() < b.name_hash() : a.name() < b.name();
  });
}

}  // namespace

std::string zoo_sequence_suffix(std::int32_t counter) {
  const bool negative = counter < 0;
  std::string digits = std::to_string(negative ? -std::int64_t{counter} : std::int64_t{counter});
  const std::size_t width = negative ? 9 : 10;
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return negative ? '-' + digits : digits;
}

// Clients see creates and deletes of children together (DataNode.copyStat).
ZooStat ZooTree::Node::stat() const {
  ZooStat s;
  s.czxid = czxid;
  s.mzxid = mzxid;
  s.pzxid = pzxid;
  s.version = version;
  const auto n = static_cast<std::uint32_t>(children.size());
  s.cversion = static_cast<std::int32_t>(static_cast<std::uint32_t>(creates) * 2 - n);
  s.ephemeral_owner = owner;
  s.data_length = static_cast<std::int32_t>(data.size());
  s.children = static_cast<std::int32_t>(n);
  return s;
}

void ZooTree::clear() {
  nodes_.clear();
  sessions_.clear();
  containers_.clear();
  last_zxid_ = 0;
  make_root();
  for (const ZooDirectory& d : directories_) {
    const ZooPath path(d.path);
    Node* const parent = parent_of(path);
    Node* const node = make(path, parent);
    node->creates = d.creates;
    node->container = d.container;
    if (d.container) containers_.insert(d.path);
    ++parent->creates;
  }
}

ZooTree::Node* ZooTree::make(const ZooPath& path, Node* parent) {
  const auto place = place_of(path.hash(), path);
  if (place != nodes_.end() && place->hash == path.hash()) return nullptr;
  auto made = std::make_unique<Node>();
  Node* const node = made.get();
  nodes_.insert(place, {path.hash(), std::move(made), parent != nullptr ? parent : node});
  node->path = path;
  if (parent != nullptr) parent->children.insert(place_among(parent->children, path), path);
  return node;
}

const ZooTree::Node* ZooTree::find(std::string_view path) const { return node_at(remembered_hash_of(path), path); }

std::vector<const ZooTree::Node*> ZooTree::nodes() const {
  std::vector<const Node*> all;
  all.reserve(nodes_.size());
  for (const Place& p : nodes_) all.push_back(p.node.get());
  std::sort(all.begin(), all.end(), [](const Node* a, const Node* b) { return a->path.text() < b->path.text(); });
  return all;
}

const ZooSessionEntry* ZooTree::find_session(std::int64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : &found->second;
}

std::vector<ZooPath> ZooTree::ephemerals_of(std::int64_t session) const {
  std::vector<ZooPath> paths;
  for (const Place& p : nodes_) {
    if (p.node->owner == session) paths.push_back(p.node->path);
  }
  std::sort(paths.begin(), paths.end(), [](const ZooPath& a, const ZooPath& b) { return a.text() < b.text(); });
  return paths;
}

std::vector<std::string> ZooTree::containers_to_remove() const {
  std::vector<std::string> paths;
  for (const std::string& path : containers_) {
    const Node* const node = find(path);
    if (node->children.empty() && node->creates > 0) paths.push_back(path);
  }
  return paths;
}

ZooReply ZooTree::read(const ZooRequest& request) const {
  ZooReply reply;
  reply.xid = request.xid;
  reply.zxid = last_zxid_;
  const Node* const node = find(request.path);
  if (node == nullptr) {
    reply.code = ZooCode::no_node;
    return reply;
  }
  reply.stat = node->stat();
  if (request.op == ZooOp::get_data) reply.data = node->data;
  if (request.op != ZooOp::get_children) return reply;
  reply.children.reserve(node->children.size());
  for (const ZooPath& child : node->children) reply.children.emplace_back(child.name());
  return reply;
}

ZooReply ZooTree::apply(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects) {
  ZooReply reply;
  apply(txn, zxid, effects, &reply);
  return reply;
}

void ZooTree::apply(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooReply* reply) {
  last_zxid_ = zxid;
  const ZooCode code = apply_part(txn, zxid, effects, reply);
  if (reply == nullptr) return;
  reply->code = code;
  reply->zxid = zxid;
  if (txn.kind != ZooTxn::Kind::create_session) return;
  reply->session = txn.session;
  reply->timeout_ms = txn.timeout_ms;
  reply->password = txn.password;
}

ZooCode ZooTree::apply_part(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooAnswer* answer) {
  switch (txn.kind) {
    case ZooTxn::Kind::error:
      return txn.code;
    case ZooTxn::Kind::create:
      return create(txn, zxid, effects, answer);
    case ZooTxn::Kind::remove:
      return remove(txn.path, zxid, effects);
    case ZooTxn::Kind::set_data: {
      Node* const node = node_at(txn.path.hash(), txn.path);
      if (node == nullptr) return ZooCode::no_node;
      node->data = txn.data;
      node->version = txn.version;
      node->mzxid = zxid;
      if (answer != nullptr) answer->stat = node->stat();
      effects.push_back(effect_of(ZooEffect::Kind::data_changed, *node));
      return ZooCode::ok;
    }
    case ZooTxn::Kind::check:
      return ZooCode::ok;
    case ZooTxn::Kind::multi: {
      ZooCode code = ZooCode::ok;
      for (const ZooTxn& part : txn.parts) {
        ZooAnswer of_part;
        of_part.code = apply_part(part, zxid, effects, &of_part);
        if (answer != nullptr) answer->parts.push_back(std::move(of_part));
        if (part.kind == ZooTxn::Kind::error && code == ZooCode::ok) code = part.code;
      }
      return code;
    }
    case ZooTxn::Kind::create_session:
      sessions_[txn.session] = {txn.timeout_ms, txn.password};
      return ZooCode::ok;
    case ZooTxn::Kind::close_session:
      for (const ZooPath& path : ephemerals_of(txn.session)) (void)remove(path, zxid, effects);
      sessions_.erase(txn.session);
      return ZooCode::ok;
  }
  return ZooCode::ok;
}

ZooCode ZooTree::create(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooAnswer* answer) {
  Node* const parent = parent_of(txn.path);
  if (parent == nullptr) return ZooCode::no_node;
  Node* const node = make(txn.path, parent);
  if (node == nullptr) return ZooCode::node_exists;
  if (overflow_ == ZooOverflow::negative || txn.version > parent->creates) {
    parent->creates = txn.version;
    parent->pzxid = zxid;
  }
  node->data = txn.data;
  node->czxid = node->mzxid = node->pzxid = zxid;
  node->container = txn.container;
  if (txn.ephemeral) node->owner = txn.session;
  if (txn.container) containers_.insert(txn.path.text());
  if (answer != nullptr) {
    answer->path = txn.path.text();
    answer->stat = node->stat();
  }
  effects.push_back(effect_of(ZooEffect::Kind::created, *node));
  return ZooCode::ok;
}

ZooCode ZooTree::remove(const ZooPath& path, std::int64_t zxid, std::vector<ZooEffect>& effects) {
  const auto place = place_of(path.hash(), path);
  if (place == nodes_.end() || place->hash != path.hash()) return ZooCode::no_node;
  const Node& node = *place->node;
  if (!node.children.empty()) return ZooCode::not_empty;  // no sound leader proposes that
  effects.push_back(effect_of(ZooEffect::Kind::deleted, node));
  if (node.container) containers_.erase(path.text());
  Node& parent = *place->parent;
  const auto child = place_among(parent.children, path);
  if (child != parent.children.end() && *child == path) parent.children.erase(child);
  parent.pzxid = zxid;
  nodes_.erase(place);
  return ZooCode::ok;
}

}  // namespace picklock
