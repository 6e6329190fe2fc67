#include "sim/zookeeper/tree.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace picklock {
namespace {

ZooEffect effect_of(ZooEffect::Kind kind, const std::string& path, const ZooTree::Node& node) {
  return {kind, path, node.czxid, node.owner, node.hash, node.parent_hash};
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
    const auto at = nodes_.try_emplace(d.path).first;
    Node& node = at->second;
    node.creates = d.creates;
    node.container = d.container;
    if (d.container) containers_.insert(d.path);
    Node& parent = *node_at(zoo_parent(d.path));
    adopt(at->first, node, parent);
    ++parent.creates;
  }
}

void ZooTree::make_root() {
  Node& root = nodes_["/"];
  root.hash = root.parent_hash = hash_of("/");
}

void ZooTree::adopt(std::string_view path, Node& child, Node& parent) {
  const std::string_view name = zoo_name(path);
  child.hash = remembered_hash_of(path);
  child.parent_hash = parent.hash;
  child.name_hash = remembered_hash_of(name);
  parent.children.emplace(child.name_hash, name);
}

const ZooTree::Node* ZooTree::find(std::string_view path) const {
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : &found->second;
}

ZooTree::Node* ZooTree::node_at(std::string_view path) {
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : &found->second;
}

const ZooSessionEntry* ZooTree::find_session(std::int64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : &found->second;
}

std::vector<std::string> ZooTree::ephemerals_of(std::int64_t session) const {
  std::vector<std::string> paths;
  for (const auto& [path, node] : nodes_) {
    if (node.owner == session) paths.push_back(path);
  }
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
  for (const auto& [hash, name] : node->children) reply.children.emplace_back(name);
  return reply;
}

ZooReply ZooTree::apply(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects) {
  last_zxid_ = zxid;
  ZooReply reply = apply_part(txn, zxid, effects);
  reply.zxid = zxid;
  return reply;
}

ZooReply ZooTree::apply_part(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects) {
  ZooReply reply;
  switch (txn.kind) {
    case ZooTxn::Kind::error:
      reply.code = txn.code;
      break;
    case ZooTxn::Kind::create:
      create(txn, zxid, effects, reply);
      break;
    case ZooTxn::Kind::remove:
      remove(txn.path, zxid, effects, reply);
      break;
    case ZooTxn::Kind::set_data: {
      Node* const node = node_at(txn.path);
      if (node == nullptr) {
        reply.code = ZooCode::no_node;
        break;
      }
      node->data = txn.data;
      node->version = txn.version;
      node->mzxid = zxid;
      reply.stat = node->stat();
      effects.push_back(effect_of(ZooEffect::Kind::data_changed, txn.path, *node));
      break;
    }
    case ZooTxn::Kind::check:
      break;
    case ZooTxn::Kind::multi:
      for (const ZooTxn& part : txn.parts) {
        reply.parts.push_back(apply_part(part, zxid, effects));
        if (part.kind == ZooTxn::Kind::error && part.code != ZooCode::ok && reply.code == ZooCode::ok) {
          reply.code = part.code;
        }
      }
      break;
    case ZooTxn::Kind::create_session:
      sessions_[txn.session] = {txn.timeout_ms, txn.password};
      reply.session = txn.session;
      reply.timeout_ms = txn.timeout_ms;
      reply.password = txn.password;
      break;
    case ZooTxn::Kind::close_session: {
      for (const std::string& path : ephemerals_of(txn.session)) {
        ZooReply ignored;
        remove(path, zxid, effects, ignored);
      }
      sessions_.erase(txn.session);
      break;
    }
  }
  return reply;
}

void ZooTree::create(const ZooTxn& txn, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooReply& reply) {
  Node* const parent = node_at(zoo_parent(txn.path));
  if (parent == nullptr) {
    reply.code = ZooCode::no_node;
    return;
  }
  const auto [at, made] = nodes_.try_emplace(txn.path);
  if (!made) {
    reply.code = ZooCode::node_exists;
    return;
  }
  if (overflow_ == ZooOverflow::negative || txn.version > parent->creates) {
    parent->creates = txn.version;
    parent->pzxid = zxid;
  }
  Node& node = at->second;
  adopt(at->first, node, *parent);
  node.data = txn.data;
  node.czxid = node.mzxid = node.pzxid = zxid;
  node.container = txn.container;
  if (txn.ephemeral) node.owner = txn.session;
  if (txn.container) containers_.insert(txn.path);
  reply.path = txn.path;
  reply.stat = node.stat();
  effects.push_back(effect_of(ZooEffect::Kind::created, txn.path, node));
}

void ZooTree::remove(const std::string& path, std::int64_t zxid, std::vector<ZooEffect>& effects, ZooReply& reply) {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) {
    reply.code = ZooCode::no_node;
    return;
  }
  if (!found->second.children.empty()) {  // no sound leader proposes that
    reply.code = ZooCode::not_empty;
    return;
  }
  const Node& node = found->second;
  effects.push_back(effect_of(ZooEffect::Kind::deleted, path, node));
  if (node.container) containers_.erase(path);
  const auto [above, name] = zoo_split(path);
  Node& parent = *node_at(above);
  parent.children.erase({node.name_hash, name});
  parent.pzxid = zxid;
  nodes_.erase(found);
}

}  // namespace picklock
