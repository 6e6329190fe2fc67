#include "sim/zookeeper/wire.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/packing.hpp"

namespace picklock {
namespace {

// Fields that a request of this kind carries: one mask, so that a ping is six bytes.
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
  texts.reserve(std::min<std::size_t>(count, from.rest().size()));  // each takes a byte at least
  for (std::uint64_t i = 0; i < count && from.good(); ++i) texts.emplace_back(from.text());
}

constexpr std::uint8_t kOfVerbs = kPath | kData | kMode | kVersion | kWatch;

void write(Packer& to, const ZooCall& c, std::int32_t xid, std::uint8_t fields) {
  PackedHead<2> head;
  head.byte(static_cast<std::uint8_t>(c.op));
  head.integer(xid);
  to.head(head);
  if (fields & kPath) to.text(c.path);
  if (fields & kData) to.text(c.data);
  if (fields & kMode) to.byte(static_cast<std::uint8_t>(c.mode));
  if (fields & kVersion) to.integer(c.version);
  if (fields & kWatch) to.byte(c.watch ? 1 : 0);
}

void write(Packer& to, const ZooRequest& r) {
  const std::uint8_t fields = fields_of(r.op);
  write(to, r, r.xid, fields);
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
    for (const ZooCall& part : r.parts) write(to, part, 0, fields_of(part.op));
  }
}

// Its operation and number have been read.
void read(Unpacker& from, ZooCall& c, std::uint8_t fields) {
  c.path.clear();
  c.data.clear();
  c.mode = ZooMode::persistent;
  c.version = kZooAnyVersion;
  c.watch = false;
  c.parts.clear();
  if (fields & kPath) c.path = from.text();
  if (fields & kData) c.data = from.text();
  if (fields & kMode) c.mode = static_cast<ZooMode>(from.byte_up_to(static_cast<std::uint8_t>(ZooMode::container)));
  if (fields & kVersion) c.version = from.small();
  if (fields & kWatch) c.watch = from.byte_up_to(1) != 0;
}

// A part is a verb without a number; a multi holds no multi.
void read_part(Unpacker& from, ZooCall& part) {
  part.op = static_cast<ZooOp>(from.byte());
  const std::uint8_t fields = fields_of(part.op);
  if (!is_known(part.op) || (fields & ~kOfVerbs) != 0 || from.small() != 0) return from.fail();
  read(from, part, fields);
}

void read(Unpacker& from, ZooRequest& r) {
  r.op = static_cast<ZooOp>(from.byte());
  if (!is_known(r.op)) return from.fail();
  const std::uint8_t fields = fields_of(r.op);
  r.xid = from.small();
  read(from, r, fields);
  r.relative_zxid = r.session = r.timeout_ms = 0;
  r.password = 0;
  r.data_watches.clear();
  r.exist_watches.clear();
  r.child_watches.clear();
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
    for (std::uint64_t i = 0; i < count && from.good(); ++i) read_part(from, r.parts.emplace_back());
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

constexpr std::uint8_t kOfAnswers = kStat | kReplyPath | kReplyData | kChildren;

std::uint8_t fields_of(const ZooAnswer& a) {
  std::uint8_t fields = 0;
  if (a.stat != ZooStat{}) fields |= kStat;
  if (!a.path.empty()) fields |= kReplyPath;
  if (!a.data.empty()) fields |= kReplyData;
  if (!a.children.empty()) fields |= kChildren;
  if (!a.parts.empty()) fields |= kReplyParts;
  return fields;
}

std::uint8_t fields_of(const ZooReply& r) {
  std::uint8_t fields = fields_of(static_cast<const ZooAnswer&>(r));
  if (r.event != ZooEventType::none) fields |= kEvent;
  if (r.session != 0 || r.timeout_ms != 0 || r.password != 0) fields |= kConnected;
  return fields;
}

// Two numbers of four bytes each, as Jute has them.
std::uint64_t both(std::int32_t first, std::int32_t second) {
  return static_cast<std::uint32_t>(first) | std::uint64_t{static_cast<std::uint32_t>(second)} << 32;
}
void read_both(Unpacker& from, std::int32_t& first, std::int32_t& second) {
  const std::uint64_t numbers = from.word();
  first = static_cast<std::int32_t>(static_cast<std::uint32_t>(numbers));
  second = static_cast<std::int32_t>(static_cast<std::uint32_t>(numbers >> 32));
}

void write(Packer& to, const ZooAnswer& a, std::int32_t xid, std::int64_t zxid, std::uint8_t fields) {
  PackedHead<12> head;
  head.byte(fields);
  head.word(both(xid, static_cast<std::int32_t>(a.code)));
  head.word(static_cast<std::uint64_t>(zxid));
  if (fields & kStat) {
    const ZooStat& s = a.stat;
    for (const std::int64_t id : {s.czxid, s.mzxid, s.pzxid, s.ephemeral_owner}) {
      head.word(static_cast<std::uint64_t>(id));
    }
    head.word(both(s.version, s.cversion));
    head.word(both(s.data_length, s.children));
  }
  to.head(head);
  if (fields & kReplyPath) to.text(a.path);
  if (fields & kReplyData) to.text(a.data);
  if (fields & kChildren) write(to, a.children);
}

void write(Packer& to, const ZooReply& r) {
  const std::uint8_t fields = fields_of(r);
  write(to, r, r.xid, r.zxid, fields);
  if (fields & kEvent) to.byte(static_cast<std::uint8_t>(r.event));
  if (fields & kConnected) {
    to.integer(r.session);
    to.word(r.password);
    to.integer(r.timeout_ms);
  }
  if (fields & kReplyParts) {
    to.number(r.parts.size());
    for (const ZooAnswer& part : r.parts) write(to, part, 0, 0, fields_of(part));
  }
}

// Its fields have been read.
void read(Unpacker& from, ZooAnswer& a, std::int32_t& xid, std::int64_t& zxid, std::uint8_t fields) {
  a.stat = {};
  std::int32_t code = 0;
  read_both(from, xid, code);
  zxid = static_cast<std::int64_t>(from.word());
  a.code = static_cast<ZooCode>(code);
  if (code < -1000 || code > 0) return from.fail();
  if (fields & kStat) {
    for (std::int64_t* const id : {&a.stat.czxid, &a.stat.mzxid, &a.stat.pzxid, &a.stat.ephemeral_owner}) {
      *id = static_cast<std::int64_t>(from.word());
    }
    read_both(from, a.stat.version, a.stat.cversion);
    read_both(from, a.stat.data_length, a.stat.children);
  }
  a.path.clear();
  a.data.clear();
  a.children.clear();
  a.parts.clear();
  if (fields & kReplyPath) a.path = from.text();
  if (fields & kReplyData) a.data = from.text();
  if (fields & kChildren) read(from, a.children);
}

// The answer to a part has neither numbers nor parts.
void read_part(Unpacker& from, ZooAnswer& part) {
  const std::uint8_t fields = from.byte_up_to(kOfAnswers);
  std::int32_t xid = 0;
  std::int64_t zxid = 0;
  read(from, part, xid, zxid, fields);
  if (xid != 0 || zxid != 0) from.fail();
}

void read(Unpacker& from, ZooReply& r) {
  r.event = ZooEventType::none;
  r.session = r.timeout_ms = 0;
  r.password = 0;
  const std::uint8_t fields = from.byte_up_to(127);
  read(from, r, r.xid, r.zxid, fields);
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
    for (std::uint64_t i = 0; i < count && from.good(); ++i) read_part(from, r.parts.emplace_back());
  }
}

}  // namespace

ZooRequest ZooRequest::ping() {
  ZooRequest r;
  r.op = ZooOp::ping;
  r.xid = kZooPingXid;
  return r;
}

void encode(const ZooRequest& request, std::string& to) {
  Packer packer(to);
  write(packer, request);
  packer.finish();
}
void encode(const ZooReply& reply, std::string& to) {
  Packer packer(to);
  write(packer, reply);
  packer.finish();
}
bool decode(std::string_view packed, ZooRequest& request) {
  Unpacker from(packed);
  read(from, request);
  return from.finished();
}
bool decode(std::string_view packed, ZooReply& reply) {
  Unpacker from(packed);
  read(from, reply);
  return from.finished();
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

namespace {

std::string text_of(const ZooCall& c) {
  constexpr std::array<std::string_view, 5> kModes = {"", " ephemeral", " sequential", " ephemeral sequential",
                                                      " container"};
  std::string text(to_string(c.op));
  if (!c.path.empty()) text += ' ' + c.path;
  if (c.op == ZooOp::create) text += kModes[static_cast<std::size_t>(c.mode)];
  if (!c.data.empty()) text += " \"" + c.data + '"';
  if (c.version != kZooAnyVersion) text += " version " + std::to_string(c.version);
  if (c.watch) text += " watch";
  for (const ZooCall& part : c.parts) text += " [" + text_of(part) + ']';
  return text;
}

std::string text_of(const ZooAnswer& a, std::string text) {
  if (!a.path.empty()) text += ' ' + a.path;
  if (!a.data.empty()) text += " \"" + a.data + '"';
  if (!a.children.empty()) text += " [";
  for (std::size_t i = 0; i < a.children.size(); ++i) text += (i > 0 ? ", " : "") + a.children[i];
  if (!a.children.empty()) text += ']';
  for (const ZooAnswer& part : a.parts) text += " [" + text_of(part, std::string(to_string(part.code))) + ']';
  return text;
}

}  // namespace

std::string ZooRequest::to_string() const { return text_of(*this); }

std::string ZooReply::to_string() const {
  const bool notification = event != ZooEventType::none;
  return text_of(*this, std::string(notification ? picklock::to_string(event) : picklock::to_string(code)));
}

// Names that locks give are long: words of eight letters are looked through from the end.
ZooPathParts zoo_split(std::string_view path) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kLows = kOnes * 0x7f, kSlashes = kOnes * '/';
  std::size_t begin = path.size();
  for (; begin >= sizeof kOnes; begin -= sizeof kOnes) {
    std::uint64_t word;
    std::memcpy(&word, path.data() + begin - sizeof word, sizeof word);
    word ^= kSlashes;
    const std::uint64_t slashes = ~(((word & kLows) + kLows) | word | kLows);  // the highest bit of each
    if (slashes == 0) continue;
    begin -= static_cast<std::size_t>(std::countl_zero(slashes)) / 8;  // the position behind the last slash
    break;
  }
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return {begin <= 1 ? std::string_view("/") : path.substr(0, begin - 1), path.substr(begin)};
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
