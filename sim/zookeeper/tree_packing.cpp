// Trees and transactions as bytes, and the digest that tells two trees apart.
#include "base/hash.hpp"
#include "base/packing.hpp"
#include "sim/zookeeper/tree.hpp"

namespace picklock {
namespace {

void write(Packer& to, const ZooTxn& txn) {
  PackedHead<5> head;
  head.byte(static_cast<std::uint8_t>(txn.kind));
  head.byte(static_cast<std::uint8_t>((txn.ephemeral ? 1 : 0) | (txn.container ? 2 : 0)));
  head.integer(static_cast<std::int64_t>(txn.code));
  head.integer(txn.session);
  head.number(txn.hold);
  to.head(head);
  to.text(txn.path);
  to.text(txn.data);
  to.integer(txn.version);
  if (txn.kind == ZooTxn::Kind::create_session) {
    to.integer(txn.timeout_ms);
    to.word(txn.password);
  }
  if (txn.kind != ZooTxn::Kind::multi) return;
  to.number(txn.parts.size());
  for (const ZooTxn& part : txn.parts) write(to, part);
}

void read(Unpacker& from, ZooTxn& txn, int depth) {
  if (depth > 1) return from.fail();
  txn.timeout_ms = 0;
  txn.password = 0;
  txn.parts.clear();
  txn.kind = static_cast<ZooTxn::Kind>(from.byte_up_to(static_cast<std::uint8_t>(ZooTxn::Kind::close_session)));
  const std::uint8_t flags = from.byte_up_to(3);
  txn.ephemeral = (flags & 1) != 0;
  txn.container = (flags & 2) != 0;
  txn.code = static_cast<ZooCode>(from.small());
  txn.session = from.integer();
  txn.hold = static_cast<std::uint32_t>(from.number());
  txn.path = ZooPath(from.text());
  txn.data = from.text();
  txn.version = from.small();
  if (txn.kind == ZooTxn::Kind::create_session) {
    txn.timeout_ms = from.integer();
    txn.password = from.word();
  }
  if (txn.kind != ZooTxn::Kind::multi) return;
  const std::uint64_t count = from.number();
  for (std::uint64_t i = 0; i < count && from.good(); ++i) read(from, txn.parts.emplace_back(), depth + 1);
}

}  // namespace

void encode(const ZooTxn& txn, std::string& to) {
  Packer packer(to);
  write(packer, txn);
  packer.finish();
}

bool decode(std::string_view packed, ZooTxn& txn) {
  Unpacker from(packed);
  read(from, txn, 0);
  return from.finished();
}

std::string ZooTree::snapshot() const {
  std::string bytes;
  Packer to(bytes);
  to.integer(last_zxid_);
  to.number(sessions_.size());
  for (const auto& [session, entry] : sessions_) {
    to.integer(session);
    to.integer(entry.timeout_ms);
    to.word(entry.password);
  }
  to.number(nodes_.size());
  for (const Node* const node : nodes()) {  // parents stand before their children
    to.text(node->path);
    to.text(node->data);
    for (const std::int64_t number : {node->czxid, node->mzxid, node->pzxid, node->owner}) to.integer(number);
    to.integer(node->version);
    to.integer(node->creates);
    to.byte(node->container ? 1 : 0);
  }
  to.finish();
  return bytes;
}

bool ZooTree::load(std::string_view snapshot) {
  clear();
  nodes_.clear();
  containers_.clear();
  make_root();
  Unpacker from(snapshot);
  last_zxid_ = from.integer();
  const std::uint64_t sessions = from.number();
  for (std::uint64_t i = 0; i < sessions && from.good(); ++i) {
    const std::int64_t session = from.integer();
    ZooSessionEntry& entry = sessions_[session];
    entry.timeout_ms = from.integer();
    entry.password = from.word();
  }
  const std::uint64_t nodes = from.number();
  bool sound = nodes > 0;
  for (std::uint64_t i = 0; i < nodes && from.good(); ++i) {
    const ZooPath path(from.text());
    const bool is_root = path.text() == "/";
    Node* const parent = zoo_path_is_valid(path) ? parent_of(path) : nullptr;  // the root is its own parent
    Node* const node = parent == nullptr || is_root ? parent : make(path, parent);
    if (node == nullptr) {
      sound = false;
      break;
    }
    node->data = from.text();
    for (std::int64_t* const n : {&node->czxid, &node->mzxid, &node->pzxid, &node->owner}) *n = from.integer();
    node->version = from.small();
    node->creates = from.small();
    node->container = from.byte_up_to(1) != 0;
    if (node->container && !is_root) containers_.insert(path.text());
  }
  if (sound && from.finished()) return true;
  clear();
  return false;
}

std::uint64_t ZooTree::digest() const { return hash_bytes(snapshot()); }

}  // namespace picklock
