#include "bridge/jute.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/check.hpp"

namespace picklock {
namespace {

// ZooDefs.OpCode, as far as ZooOp has no number for it.
constexpr std::int32_t kCreate2 = 15, kGetChildren2 = 12, kCreateContainer = 19, kAuth = 100, kCloseSession = -11;
constexpr std::int32_t kError = -1, kUnimplemented = -6;

// Numbers stand with their highest byte first.
class JuteReader {
 public:
  explicit JuteReader(std::string_view from) : from_(from) {}

  std::uint64_t bytes(std::size_t count) {
    if (from_.size() < count) return good_ = false, 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<std::uint8_t>(from_[i]);
    from_.remove_prefix(count);
    return value;
  }
  bool boolean() { return bytes(1) != 0; }
  std::int32_t number() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes(4))); }
  std::int64_t longer() { return static_cast<std::int64_t>(bytes(8)); }
  // A text or a buffer; -1: none, which is empty here.
  std::string text() {
    const std::int32_t size = number();
    if (size == -1) return {};
    if (size < 0 || static_cast<std::size_t>(size) > from_.size()) return good_ = false, std::string();
    const std::string found(from_.substr(0, static_cast<std::size_t>(size)));
    from_.remove_prefix(static_cast<std::size_t>(size));
    return found;
  }
  template <class Element>
  void each(const Element& element) {
    const std::int32_t count = number();
    if (count < -1) good_ = false;
    for (std::int32_t i = 0; i < count && good_; ++i) element();
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    each([&] { all.push_back(text()); });
    return all;
  }
  bool good() const { return good_; }
  bool ended() const { return from_.empty(); }
  void fail() { good_ = false; }

 private:
  std::string_view from_;
  bool good_ = true;
};

class JuteWriter {
 public:
  void bytes(std::uint64_t value, std::size_t count) {
    for (std::size_t i = count; i-- > 0;) out_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void boolean(bool value) { bytes(value ? 1 : 0, 1); }
  void number(std::int32_t value) { bytes(static_cast<std::uint32_t>(value), 4); }
  void longer(std::int64_t value) { bytes(static_cast<std::uint64_t>(value), 8); }
  void text(std::string_view value) {
    number(static_cast<std::int32_t>(value.size()));
    out_ += value;
  }
  void stat(const ZooStat& s) {
    longer(s.czxid);
    longer(s.mzxid);
    longer(0);  // ctime
    longer(0);  // mtime
    number(s.version);
    number(s.cversion);
    number(0);  // version of the ACL
    longer(s.ephemeral_owner);
    number(s.data_length);
    number(s.children);
    longer(s.pzxid);
  }
  void head(std::int32_t xid, std::int64_t zxid, std::int32_t code) {
    number(xid);
    longer(zxid);
    number(code);
  }
  // A part of a multi, or its end.
  void part(std::int32_t type, bool done, std::int32_t code) {
    number(type);
    boolean(done);
    number(code);
  }
  std::string frame() && {
    JuteWriter length;
    length.number(static_cast<std::int32_t>(out_.size()));
    return std::move(length.out_) + out_;
  }

 private:
  std::string out_;
};

// What stands behind the head of a request. False: no request that the simulated server has.
bool read_call(JuteReader& from, std::int32_t type, ZooCall& c) {
  switch (type) {
    case static_cast<std::int32_t>(ZooOp::create):
    case kCreate2:
    case kCreateContainer: {
      c.op = ZooOp::create;
      c.path = from.text();
      c.data = from.text();
      from.each([&] {  // permissions, scheme, name
        (void)from.number();
        (void)from.text();
        (void)from.text();
      });
      const std::int32_t mode = from.number();
      if (mode < 0 || mode > static_cast<std::int32_t>(ZooMode::container)) return false;
      c.mode = static_cast<ZooMode>(mode);
      return true;
    }
    case static_cast<std::int32_t>(ZooOp::remove):
    case static_cast<std::int32_t>(ZooOp::check):
      c.op = static_cast<ZooOp>(type);
      c.path = from.text();
      c.version = from.number();
      return true;
    case static_cast<std::int32_t>(ZooOp::exists):
    case static_cast<std::int32_t>(ZooOp::get_data):
    case static_cast<std::int32_t>(ZooOp::get_children):
    case kGetChildren2:
      c.op = type == kGetChildren2 ? ZooOp::get_children : static_cast<ZooOp>(type);
      c.path = from.text();
      c.watch = from.boolean();
      return true;
    case static_cast<std::int32_t>(ZooOp::set_data):
      c.op = ZooOp::set_data;
      c.path = from.text();
      c.data = from.text();
      c.version = from.number();
      return true;
    case static_cast<std::int32_t>(ZooOp::sync):
      c.op = ZooOp::sync;
      c.path = from.text();
      return true;
    case static_cast<std::int32_t>(ZooOp::ping):
      c.op = ZooOp::ping;
      return true;
    case kCloseSession:
      c.op = ZooOp::close_session;
      return true;
    default:
      return false;
  }
}

// What stands behind the head of an answer that says yes.
void write_answer(JuteWriter& to, std::int32_t type, const ZooAnswer& a) {
  switch (type) {
    case static_cast<std::int32_t>(ZooOp::create):
      return to.text(a.path);
    case kCreate2:
    case kCreateContainer:
      to.text(a.path);
      return to.stat(a.stat);
    case static_cast<std::int32_t>(ZooOp::exists):
    case static_cast<std::int32_t>(ZooOp::set_data):
      return to.stat(a.stat);
    case static_cast<std::int32_t>(ZooOp::get_data):
      to.text(a.data);
      return to.stat(a.stat);
    case static_cast<std::int32_t>(ZooOp::get_children):
    case kGetChildren2:
      to.number(static_cast<std::int32_t>(a.children.size()));
      for (const std::string& name : a.children) to.text(name);
      if (type == kGetChildren2) to.stat(a.stat);
      return;
    case static_cast<std::int32_t>(ZooOp::sync):
      return to.text(a.path);
    default:
      return;  // delete, check, ping, setWatches, closeSession: the head says all
  }
}

// Watcher.Event.EventType, and KeeperState.SyncConnected.
constexpr std::int32_t kSyncConnected = 3;

}  // namespace

std::optional<std::string_view> JuteConnection::frame() {
  if (failed() || bytes_.size() - at_ < 4) return std::nullopt;
  JuteReader head(std::string_view(bytes_).substr(at_, 4));
  const std::int32_t size = head.number();
  if (size < 0 || size > kMostBytes) {
    error_ = fmt::format("found a frame of {} bytes, expected 0 to {}", size, kMostBytes);
    return std::nullopt;
  }
  const auto whole = std::size_t{4} + static_cast<std::size_t>(size);
  if (bytes_.size() - at_ < whole) {
    bytes_.erase(0, std::exchange(at_, 0));
    return std::nullopt;
  }
  const auto found = std::string_view(bytes_).substr(at_ + 4, static_cast<std::size_t>(size));
  at_ += whole;
  return found;
}

std::optional<ZooRequest> JuteConnection::next() {
  while (const auto found = frame()) {
    std::optional<ZooRequest> request = greeted_ ? read_request(*found) : read_greeting(*found);
    if (request || failed()) return request;
  }
  return std::nullopt;
}

std::optional<ZooRequest> JuteConnection::read_greeting(std::string_view frame) {
  JuteReader from(frame);
  ZooRequest r;
  r.op = ZooOp::connect;
  (void)from.number();  // version of the protocol
  r.relative_zxid = from.longer();
  r.timeout_ms = from.number();
  r.session = from.longer();
  const std::string password = from.text();
  asks_for_read_only_ = from.good() && !from.ended();  // since 3.4
  if (asks_for_read_only_) (void)from.boolean();
  if (!from.good() || !from.ended()) {
    error_ = "found no ConnectRequest at the beginning";
    return std::nullopt;
  }
  if (password.size() >= 8) r.password = JuteReader(password).bytes(8);
  greeted_ = true;
  return r;
}

void JuteConnection::answer_here(std::int32_t xid, std::int32_t type, std::int32_t code) {
  asked_.push_back({xid, type, true, code, {}});
}

std::optional<ZooRequest> JuteConnection::read_request(std::string_view frame) {
  JuteReader from(frame);
  ZooRequest r;
  r.xid = from.number();
  const std::int32_t type = from.number();
  Asked asked{r.xid, type, false, 0, {}};
  if (type == kAuth) {
    answer_here(r.xid, type, 0);
    return std::nullopt;
  }
  if (type == static_cast<std::int32_t>(ZooOp::set_watches)) {
    r.op = ZooOp::set_watches;
    r.relative_zxid = from.longer();
    r.data_watches = from.texts();
    r.exist_watches = from.texts();
    r.child_watches = from.texts();
  } else if (type == static_cast<std::int32_t>(ZooOp::multi)) {
    r.op = ZooOp::multi;
    while (from.good()) {
      const std::int32_t part = from.number();
      const bool done = from.boolean();
      (void)from.number();
      if (done) break;
      ZooCall call;
      const bool known = read_call(from, part, call);
      const bool writes =
          call.op == ZooOp::create || call.op == ZooOp::remove || call.op == ZooOp::set_data || call.op == ZooOp::check;
      if (from.good() && (!known || !writes)) {
        answer_here(r.xid, type, kUnimplemented);
        return std::nullopt;
      }
      asked.parts.push_back(part);
      r.parts.push_back(std::move(call));
    }
  } else if (!read_call(from, type, r) && from.good()) {
    answer_here(r.xid, type, kUnimplemented);
    return std::nullopt;
  }
  if (!from.good() || !from.ended()) {
    error_ = fmt::format("found a request of type {} whose bytes are wrong", type);
    return std::nullopt;
  }
  // These answers are known by their numbers: others must not have them.
  const std::int32_t own = r.op == ZooOp::ping ? kZooPingXid : r.op == ZooOp::set_watches ? kZooSetWatchesXid : 0;
  if (own != 0 ? r.xid != own : r.xid < 0) {
    error_ = fmt::format("found the number {} for a request of type {}", r.xid, type);
    return std::nullopt;
  }
  if (r.op != ZooOp::ping && r.op != ZooOp::set_watches) asked_.push_back(std::move(asked));
  return r;
}

std::string JuteConnection::take_own_answers() {
  std::string frames;
  for (; !asked_.empty() && asked_.front().answered_here; asked_.pop_front()) {
    JuteWriter to;
    to.head(asked_.front().xid, 0, asked_.front().code);
    frames += std::move(to).frame();
  }
  return frames;
}

std::string JuteConnection::write_welcome(const ZooReply& reply) const {
  JuteWriter to;
  to.number(0);  // version of the protocol
  to.number(static_cast<std::int32_t>(reply.timeout_ms));
  to.longer(reply.session);
  to.number(16);
  to.bytes(reply.password, 8);
  to.bytes(0, 8);
  if (asks_for_read_only_) to.boolean(false);
  return std::move(to).frame();
}

std::string JuteConnection::write(const ZooReply& reply) {
  if (!std::exchange(welcomed_, true)) return write_welcome(reply);
  JuteWriter to;
  if (reply.event != ZooEventType::none) {
    to.head(kZooNotificationXid, -1, 0);
    to.number(static_cast<std::int32_t>(reply.event));
    to.number(kSyncConnected);
    to.text(reply.path);
    return std::move(to).frame();
  }
  if (reply.xid == kZooPingXid || reply.xid == kZooSetWatchesXid) {
    to.head(reply.xid, reply.zxid, static_cast<std::int32_t>(reply.code));
    return std::move(to).frame();
  }
  PICKLOCK_CHECK(!asked_.empty() && asked_.front().xid == reply.xid);  // our own servers answer in order
  const Asked asked = std::move(asked_.front());
  asked_.pop_front();
  const bool is_multi = asked.type == static_cast<std::int32_t>(ZooOp::multi) && !reply.parts.empty();
  to.head(reply.xid, reply.zxid, is_multi ? 0 : static_cast<std::int32_t>(reply.code));
  if (is_multi) {
    const bool failed = reply.code != ZooCode::ok;
    for (std::size_t i = 0; i < reply.parts.size(); ++i) {
      const ZooAnswer& part = reply.parts[i];
      if (failed) {
        to.part(kError, false, static_cast<std::int32_t>(part.code));
        to.number(static_cast<std::int32_t>(part.code));
      } else {
        to.part(asked.parts[i], false, 0);
        write_answer(to, asked.parts[i], part);
      }
    }
    to.part(kError, true, kError);
  } else if (reply.code == ZooCode::ok) {
    write_answer(to, asked.type, reply);
  }
  return std::move(to).frame() + take_own_answers();
}

}  // namespace picklock
