#include "sim/zookeeper/tree_changes.hpp"

#include <algorithm>

namespace picklock {
namespace {

ZooTxn error(ZooCode code, std::int64_t session) {
  ZooTxn txn;
  txn.code = code;
  txn.session = session;
  return txn;
}

ZooTxn txn_of(ZooTxn::Kind kind, ZooPath path, std::int64_t session) {
  ZooTxn txn;
  txn.kind = kind;
  txn.path = std::move(path);
  txn.session = session;
  return txn;
}

// Counts in Java's int arithmetic.
std::int32_t next(std::int32_t n) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(n) + 1); }

}  // namespace

template <class Path>
std::optional<ZooTreeChanges::Change> ZooTreeChanges::look(const Path& path) const {
  const auto last = std::find_if(under_way_.rbegin(), under_way_.rend(),
                                 [text = std::string_view(path)](const Change& c) { return c.path.text() == text; });
  if (last != under_way_.rend()) return last->exists ? std::optional(*last) : std::nullopt;
  const ZooTree::Node* const node = tree_->find(path);
  if (node == nullptr) return std::nullopt;
  Change c;
  c.path = node->path;
  c.version = node->version;
  c.creates = node->creates;
  c.children = static_cast<std::int32_t>(node->children.size());
  c.owner = node->owner;
  c.container = node->container;
  return c;
}

void ZooTreeChanges::note(Change change, std::int64_t zxid) {
  change.zxid = zxid;
  under_way_.push_back(std::move(change));
}

void ZooTreeChanges::applied(std::int64_t zxid) {
  while (!under_way_.empty() && under_way_.front().zxid <= zxid) under_way_.pop_front();
}

ZooTxn ZooTreeChanges::prepare(const ZooRequest& request, std::int64_t session, std::int64_t zxid) {
  if (request.op != ZooOp::multi) return part(request, session, zxid);
  ZooTxn txn = txn_of(ZooTxn::Kind::multi, {}, session);
  const std::size_t before = under_way_.size();
  for (const ZooCall& p : request.parts) {
    txn.parts.push_back(part(p, session, zxid));
    if (txn.parts.back().kind != ZooTxn::Kind::error) continue;
    // One refusal undoes all: those before it report OK, those behind it an inconsistency.
    while (under_way_.size() > before) under_way_.pop_back();
    const ZooCode code = txn.parts.back().code;
    const std::size_t failed = txn.parts.size() - 1;
    txn.parts.clear();
    for (std::size_t i = 0; i < request.parts.size(); ++i) {
      const ZooCode told = i < failed ? ZooCode::ok : i == failed ? code : ZooCode::runtime_inconsistency;
      txn.parts.push_back(error(told, session));
    }
    break;
  }
  return txn;
}

ZooTxn ZooTreeChanges::part(const ZooCall& request, std::int64_t session, std::int64_t zxid) {
  switch (request.op) {
    case ZooOp::create:
      return create(request, session, zxid);
    case ZooOp::remove:
      return remove(request, session, zxid);
    case ZooOp::set_data:
    case ZooOp::check: {
      if (!zoo_path_is_valid(request.path)) return error(ZooCode::bad_arguments, session);
      auto node = look(request.path);
      if (!node) return error(ZooCode::no_node, session);
      if (request.version != kZooAnyVersion && request.version != node->version) {
        return error(ZooCode::bad_version, session);
      }
      if (request.op == ZooOp::check) return txn_of(ZooTxn::Kind::check, node->path, session);
      ZooTxn txn = txn_of(ZooTxn::Kind::set_data, node->path, session);
      txn.data = request.data;
      txn.version = node->version = next(node->version);
      note(std::move(*node), zxid);
      return txn;
    }
    default:
      return error(ZooCode::bad_arguments, session);
  }
}

ZooTxn ZooTreeChanges::create(const ZooCall& request, std::int64_t session, std::int64_t zxid) {
  if (request.path.empty() || request.path.front() != '/') return error(ZooCode::bad_arguments, session);
  auto parent = look(zoo_parent(request.path));
  if (!parent) return error(ZooCode::no_node, session);
  std::string text = request.path;
  if (is_sequential(request.mode)) text += zoo_sequence_suffix(parent->creates);
  if (!zoo_path_is_valid(text)) return error(ZooCode::bad_arguments, session);
  const ZooPath path(text);
  if (look(path)) return error(ZooCode::node_exists, session);
  if (parent->owner != 0) return error(ZooCode::no_children_for_ephemerals, session);

  ZooTxn txn = txn_of(ZooTxn::Kind::create, path, session);
  txn.data = request.data;
  txn.ephemeral = is_ephemeral(request.mode);
  txn.container = request.mode == ZooMode::container;
  txn.version = parent->creates = next(parent->creates);
  ++parent->children;
  note(std::move(*parent), zxid);
  Change made;
  made.path = path;
  made.owner = txn.ephemeral ? session : 0;
  made.container = txn.container;
  note(std::move(made), zxid);
  return txn;
}

ZooTxn ZooTreeChanges::remove(const ZooCall& request, std::int64_t session, std::int64_t zxid) {
  if (!zoo_path_is_valid(request.path) || request.path == "/") return error(ZooCode::bad_arguments, session);
  const auto node = look(request.path);
  if (!node) return error(ZooCode::no_node, session);
  if (request.version != kZooAnyVersion && request.version != node->version) {
    return error(ZooCode::bad_version, session);
  }
  if (node->children > 0) return error(ZooCode::not_empty, session);
  note_removal(node->path, zxid);
  return txn_of(ZooTxn::Kind::remove, node->path, session);
}

void ZooTreeChanges::note_removal(const ZooPath& path, std::int64_t zxid) {
  if (auto parent = look(path.parent())) {
    --parent->children;
    note(std::move(*parent), zxid);
  }
  Change gone;
  gone.path = path;
  gone.exists = false;
  note(std::move(gone), zxid);
}

ZooTxn ZooTreeChanges::prepare_container_removal(std::string_view path, std::int64_t zxid) {
  const auto node = look(path);
  if (!node) return error(ZooCode::no_node, 0);
  if (node->children > 0) return error(ZooCode::not_empty, 0);
  if (!node->container) return error(ZooCode::bad_version, 0);
  note_removal(node->path, zxid);
  return txn_of(ZooTxn::Kind::remove, node->path, 0);
}

ZooTxn ZooTreeChanges::prepare_session(std::int64_t session, std::int64_t timeout_ms, std::uint64_t password) {
  ZooTxn txn = txn_of(ZooTxn::Kind::create_session, {}, session);
  txn.timeout_ms = timeout_ms;
  txn.password = password;
  return txn;
}

ZooTxn ZooTreeChanges::prepare_close(std::int64_t session, std::int64_t zxid) {
  std::vector<ZooPath> paths = tree_->ephemerals_of(session);
  for (const Change& change : under_way_) {
    if (change.exists && change.owner == session) paths.push_back(change.path);
  }
  std::sort(paths.begin(), paths.end(), [](const ZooPath& a, const ZooPath& b) { return a.text() < b.text(); });
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const ZooPath& path : paths) {
    const auto node = look(path);  // the node may be on its way out already
    if (node && node->owner == session) note_removal(path, zxid);
  }
  return txn_of(ZooTxn::Kind::close_session, {}, session);
}

}  // namespace picklock
