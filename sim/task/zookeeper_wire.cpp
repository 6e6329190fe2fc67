#include "sim/task/zookeeper_wire.hpp"

#include <algorithm>
#include <array>

#include "base/packing.hpp"

namespace picklock {
namespace {

constexpr int kDeepest = 1;  // a multi holds no multi

// Which fields a request of this kind carries: one mask, so that a ping is six bytes.
enum Field : std::uint8_t {
  kPath = 1,
  kData = 2,
  kMode = 4,
  kVersion = 8,
  kWatch = 16,
  kParts = 32,
  kSession = 64,
  kWatches = 128
};

constexpr std::uint8_t fields_of(ZooOp op) {
  switch (op) {
    case ZooOp::create:
      return kPath | kData | kMode;
    case ZooOp::remove:
    case ZooOp::check:
      return kPath | kVersion;
    case ZooOp::exists:
    case ZooOp::get_data:
    case ZooOp::get_children:
      return kPath | kWatch;
    case ZooOp::set_data:
      return kPath | kData | kVersion;
    case ZooOp::sync:
      return kPath;
    case ZooOp::multi:
      return kParts;
    case ZooOp::set_watches:
      return kWatches;
    case ZooOp::connect:
    case ZooOp::create_session:
      return kSession;
    case ZooOp::none:
    case ZooOp::ping:
    case ZooOp::close_session:
      break;
  }
  return 0;
}

bool is_known(ZooOp op) { return fields_of(op) != 0 || op == ZooOp::ping || op == ZooOp::close_session; }

void write(Packer& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

void read(Unpacker& from, std::vector<std::string>& texts) {
  const std::uint64_t count = from.number();
  texts.clear();
  for (std::uint64_t i = 0; i < count && from.good(); ++i) texts.emplace_back(from.text());
}

void write(Packer& to, const ZooRequest& r) {
  const std::uint8_t fields = fields_of(r.op);
  to.byte(static_cast<std::uint8_t>(r.op));
  to.integer(r.xid);
  if (fields & kPath) to.text(r.path);
  if (fields & kData) to.text(r.data);
  if (fields & kMode) to.byte(static_cast<std::uint8_t>(r.mode));
  if (fields & kVersion) to.integer(r.version);
  if (fields & kWatch) to.byte(r.watch ? 1 : 0);
  if (fields & (kWatches | kSession)) to.integer(r.relative_zxid);
  if (fields & kWatches) {
    write(to, r.data_watches);
    write(to, r.exist_watches);
    write(to, r.child_watches);
  }
  if (fields & kSession) {
    to.integer(r.session);
    to.word(r.password);
    to.integer(r.timeout_ms);
  }
  if (fields & kParts) {
    to.number(r.parts.size());
    for (const ZooRequest& part : r.parts) write(to, part);
  }
}

void read(Unpacker& from, ZooRequest& r, int depth) {
  r.op = static_cast<ZooOp>(from.byte());
  if (!is_known(r.op) || depth > kDeepest) return from.fail();
  const std::uint8_t fields = fields_of(r.op);
  r.xid = from.small();
  r.path.clear();
  r.data.clear();
  r.mode = ZooMode::persistent;
  r.version = kZooAnyVersion;
  r.watch = false;
  r.parts.clear();
  r.relative_zxid = r.session = r.timeout_ms = 0;
  r.password = 0;
  r.data_watches.clear();
  r.exist_watches.clear();
  r.child_watches.clear();
  if (fields & kPath) r.path = from.text();
  if (fields & kData) r.data = from.text();
  if (fields & kMode) r.mode = static_cast<ZooMode>(from.byte_up_to(static_cast<std::uint8_t>(ZooMode::container)));
  if (fields & kVersion) r.version = from.small();
  if (fields & kWatch) r.watch = from.byte_up_to(1) != 0;
  if (fields & (kWatches | kSession)) r.relative_zxid = from.integer();
  if (fields & kWatches) {
    read(from, r.data_watches);
    read(from, r.exist_watches);
    read(from, r.child_watches);
  }
  if (fields & kSession) {
    r.session = from.integer();
    r.password = from.word();
    r.timeout_ms = from.integer();
  }
  if (fields & kParts) {
    const std::uint64_t count = from.number();
    for (std::uint64_t i = 0; i < count && from.good(); ++i) read(from, r.parts.emplace_back(), depth + 1);
  }
}

enum ReplyField : std::uint8_t {
  kStat = 1,
  kReplyPath = 2,
  kReplyData = 4,
  kChildren = 8,
  kReplyParts = 16,
  kEvent = 32,
  kConnected = 64
};

std::uint8_t fields_of(const ZooReply& r) {
  std::uint8_t fields = 0;
  if (r.stat != ZooStat{}) fields |= kStat;
  if (!r.path.empty()) fields |= kReplyPath;
  if (!r.data.empty()) fields |= kReplyData;
  if (!r.children.empty()) fields |= kChildren;
  if (!r.parts.empty()) fields |= kReplyParts;
  if (r.event != ZooEventType::none) fields |= kEvent;
  if (r.session != 0 || r.timeout_ms != 0 || r.password != 0) fields |= kConnected;
  return fields;
}

void write(Packer& to, const ZooReply& r) {
  const std::uint8_t fields = fields_of(r);
  to.byte(fields);
  to.integer(r.xid);
  to.integer(r.zxid);
  to.integer(static_cast<std::int64_t>(r.code));
  if (fields & kStat) {
    for (const std::int64_t zxid : {r.stat.czxid, r.stat.mzxid, r.stat.pzxid, r.stat.ephemeral_owner}) to.integer(zxid);
    for (const std::int32_t n : {r.stat.version, r.stat.cversion, r.stat.data_length, r.stat.children}) to.integer(n);
  }
  if (fields & kReplyPath) to.text(r.path);
  if (fields & kReplyData) to.text(r.data);
  if (fields & kChildren) write(to, r.children);
  if (fields & kEvent) to.byte(static_cast<std::uint8_t>(r.event));
  if (fields & kConnected) {
    to.integer(r.session);
    to.word(r.password);
    to.integer(r.timeout_ms);
  }
  if (fields & kReplyParts) {
    to.number(r.parts.size());
    for (const ZooReply& part : r.parts) write(to, part);
  }
}

void read(Unpacker& from, ZooReply& r, int depth) {
  if (depth > kDeepest) return from.fail();
  r.stat = {};
  r.path.clear();
  r.data.clear();
  r.children.clear();
  r.parts.clear();
  r.event = ZooEventType::none;
  r.session = r.timeout_ms = 0;
  r.password = 0;
  const std::uint8_t fields = from.byte_up_to(127);
  r.xid = from.small();
  r.zxid = from.integer();
  const std::int64_t code = from.integer();
  r.code = static_cast<ZooCode>(code);
  if (code < -1000 || code > 0) return from.fail();
  if (fields & kStat) {
    for (std::int64_t* const zxid : {&r.stat.czxid, &r.stat.mzxid, &r.stat.pzxid, &r.stat.ephemeral_owner}) {
      *zxid = from.integer();
    }
    for (std::int32_t* const n : {&r.stat.version, &r.stat.cversion, &r.stat.data_length, &r.stat.children}) {
      *n = from.small();
    }
  }
  if (fields & kReplyPath) r.path = from.text();
  if (fields & kReplyData) r.data = from.text();
  if (fields & kChildren) read(from, r.children);
  if (fields & kEvent) {
    r.event = static_cast<ZooEventType>(from.byte_up_to(static_cast<std::uint8_t>(ZooEventType::children_changed)));
  }
  if (fields & kConnected) {
    r.session = from.integer();
    r.password = from.word();
    r.timeout_ms = from.integer();
  }
  if (fields & kReplyParts) {
    const std::uint64_t count = from.number();
    for (std::uint64_t i = 0; i < count && from.good(); ++i) read(from, r.parts.emplace_back(), depth + 1);
  }
}

}  // namespace

ZooRequest ZooRequest::ping() {
  ZooRequest r;
  r.op = ZooOp::ping;
  r.xid = kZooPingXid;
  return r;
}

ZooOp zoo_op(std::string_view packed) {
  if (packed.empty()) return ZooOp::none;
  const auto op = static_cast<ZooOp>(static_cast<std::uint8_t>(packed.front()));
  return is_known(op) ? op : ZooOp::none;
}

void encode(const ZooRequest& request, std::string& to) {
  Packer packer(to);
  write(packer, request);
}
void encode(const ZooReply& reply, std::string& to) {
  Packer packer(to);
  write(packer, reply);
}
bool decode(std::string_view packed, ZooRequest& request) {
  Unpacker from(packed);
  read(from, request, 0);
  return from.finished();
}
bool decode(std::string_view packed, ZooReply& reply) {
  Unpacker from(packed);
  read(from, reply, 0);
  return from.finished();
}

std::string_view to_string(ZooCode code) {
  switch (code) {
    case ZooCode::ok:
      return "OK";
    case ZooCode::runtime_inconsistency:
      return "RuntimeInconsistency";
    case ZooCode::connection_loss:
      return "ConnectionLoss";
    case ZooCode::operation_timeout:
      return "OperationTimeout";
    case ZooCode::bad_arguments:
      return "BadArguments";
    case ZooCode::no_node:
      return "NoNode";
    case ZooCode::bad_version:
      return "BadVersion";
    case ZooCode::no_children_for_ephemerals:
      return "NoChildrenForEphemerals";
    case ZooCode::node_exists:
      return "NodeExists";
    case ZooCode::not_empty:
      return "NotEmpty";
    case ZooCode::session_expired:
      return "SessionExpired";
    case ZooCode::session_moved:
      return "SessionMoved";
  }
  return "unknown";
}

std::string_view to_string(ZooOp op) {
  switch (op) {
    case ZooOp::none:
      return "none";
    case ZooOp::create:
      return "create";
    case ZooOp::remove:
      return "delete";
    case ZooOp::exists:
      return "exists";
    case ZooOp::get_data:
      return "get-data";
    case ZooOp::set_data:
      return "set-data";
    case ZooOp::get_children:
      return "get-children";
    case ZooOp::sync:
      return "sync";
    case ZooOp::ping:
      return "ping";
    case ZooOp::check:
      return "check";
    case ZooOp::multi:
      return "multi";
    case ZooOp::set_watches:
      return "set-watches";
    case ZooOp::connect:
      return "connect";
    case ZooOp::create_session:
      return "create-session";
    case ZooOp::close_session:
      return "close-session";
  }
  return "unknown";
}

std::string_view to_string(ZooEventType type) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "created", "deleted", "data-changed", "children-changed"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string ZooRequest::to_string() const {
  constexpr std::array<std::string_view, 5> kModes = {"", " ephemeral", " sequential", " ephemeral sequential",
                                                      " container"};
  std::string text(picklock::to_string(op));
  if (!path.empty()) text += ' ' + path;
  if (op == ZooOp::create) text += kModes[static_cast<std::size_t>(mode)];
  if (!data.empty()) text += " \"" + data + '"';
  if (version != kZooAnyVersion) text += " version " + std::to_string(version);
  if (watch) text += " watch";
  for (const ZooRequest& part : parts) text += " [" + part.to_string() + ']';
  return text;
}

std::string ZooReply::to_string() const {
  std::string text(picklock::to_string(code));
  if (event != ZooEventType::none) text = picklock::to_string(event);
  if (!path.empty()) text += ' ' + path;
  if (!data.empty()) text += " \"" + data + '"';
  if (!children.empty()) text += " [";
  for (std::size_t i = 0; i < children.size(); ++i) text += (i > 0 ? ", " : "") + children[i];
  if (!children.empty()) text += ']';
  for (const ZooReply& part : parts) text += " [" + part.to_string() + ']';
  return text;
}

std::string_view zoo_parent(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string_view zoo_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool zoo_path_is_valid(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  if (path.size() == 1) return true;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return false;
    begin = end + 1;
  }
  return path.back() != '/';
}

}  // namespace picklock
