#include "sim/etcd/wire.hpp"

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "base/packing.hpp"

namespace picklock {
namespace {

// Both directions of every type are one function: `field` writes it, or reads it.
class Writer {
 public:
  explicit Writer(std::string& to) : to_(to) {}
  [[gnu::always_inline]] void field(std::int64_t i) { field(zigzag(i)); }
  [[gnu::always_inline]] void field(std::uint64_t n) {
    if (n < 0x80) return byte(static_cast<std::uint8_t>(n));
    end_ = put_varint(room(10), n);
  }
  void field(const std::string& text) {
    field(std::uint64_t{text.size()});
    if (text.size() > kMost / 2) {
      finish();
      to_.append(text);
    } else {
      copy_short(room(text.size()), text.data(), text.size());
      end_ += text.size();
    }
  }
  [[gnu::always_inline]] void byte(std::uint8_t b) { *room(1) = static_cast<char>(b), ++end_; }
  void bits(std::initializer_list<bool> all) {
    std::uint8_t byte = 0;
    for (const bool b : all) byte = static_cast<std::uint8_t>(byte << 1 | b);
    this->byte(byte);
  }
  template <class E>
  void choice(const E& e, E) {
    byte(static_cast<std::uint8_t>(e));
  }
  template <class T, class F>
  void list(const std::vector<T>& all, F each) {
    field(std::uint64_t{all.size()});
    for (const T& one : all) each(*this, one);
  }
  template <class T, class F>
  void maybe(const std::optional<T>& value, F each) {
    byte(value.has_value());
    if (value) each(*this, *value);
  }
  void finish() {  // appends what was gathered
    to_.append(gathered_, static_cast<std::size_t>(end_ - gathered_));
    end_ = gathered_;
  }
  template <class V, class F>
  void any(const V& value, F each) {
    byte(static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& x) { each(*this, x); }, value);
  }

 private:
  static constexpr std::ptrdiff_t kMost = 384;  // most requests and replies are shorter
  [[gnu::always_inline]] char* room(std::size_t size) {
    if (gathered_ + kMost - end_ < static_cast<std::ptrdiff_t>(size)) [[unlikely]]
      make_room();
    return end_;
  }
  [[gnu::noinline]] void make_room() { finish(); }

  std::string& to_;
  char* end_ = gathered_;
  char gathered_[kMost];
};

class Reader {
 public:
  explicit Reader(std::string_view from) : unpacker_(from) {}
  void field(std::int64_t& i) { i = unpacker_.integer(); }
  void field(std::uint64_t& n) { n = unpacker_.number(); }
  void field(std::string& text) { text = std::string(unpacker_.text()); }
  void bits(std::initializer_list<bool*> all) {
    const std::uint8_t byte = unpacker_.byte();
    std::size_t left = all.size();
    if (byte >> left != 0) unpacker_.fail();
    for (bool* b : all) *b = (byte >> --left & 1) != 0;
  }
  template <class E>
  void choice(E& e, E last) {
    e = static_cast<E>(unpacker_.byte_up_to(static_cast<std::uint8_t>(last)));
  }
  template <class T, class F>
  void list(std::vector<T>& all, F each) {
    std::uint64_t n = unpacker_.number();
    all.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(n, kMostReserved)));  // an honest number is small
    for (; n > 0 && unpacker_.good(); --n) each(*this, all.emplace_back());
  }
  template <class T, class F>
  void maybe(std::optional<T>& value, F each) {
    if (unpacker_.byte_up_to(1) == 1) each(*this, value.emplace());
  }
  template <class V, class F>
  void any(V& value, F each) {
    const std::uint8_t index = unpacker_.byte_up_to(static_cast<std::uint8_t>(std::variant_size_v<V> - 1));
    make(value, index, std::make_index_sequence<std::variant_size_v<V>>());
    std::visit([&](auto& x) { each(*this, x); }, value);
  }
  bool finished() const { return unpacker_.finished(); }

 private:
  static constexpr std::uint64_t kMostReserved = 16;
  template <class V, std::size_t... I>
  static void make(V& value, std::size_t index, std::index_sequence<I...>) {
    ((index == I ? (void)value.template emplace<I>() : (void)0), ...);
  }
  Unpacker unpacker_;
};

// A type that is only written is const; one that is read is not.
template <class T, class... Bits>
void flags(Writer& io, const T& x, Bits... bits) {
  io.bits({x.*bits...});
}
template <class T, class... Bits>
void flags(Reader& io, T& x, Bits... bits) {
  io.bits({&(x.*bits)...});
}

constexpr auto kPack = [](auto& io, auto& x) { pack(io, x); };

template <class Io, class T>
requires std::same_as<std::remove_const_t<T>, std::string>
void pack(Io& io, T& x) { io.field(x); }

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <class Io, Is<EtcdKeyValue> T>
void pack(Io& io, T& x) {
  io.field(x.key), io.field(x.value), io.field(x.create_revision), io.field(x.mod_revision);
  io.field(x.version), io.field(x.lease);
}
template <class Io, Is<EtcdInterval> T>
void pack(Io& io, T& x) {
  io.field(x.key), io.field(x.end);
}
template <class Io, Is<EtcdRange> T>
void pack(Io& io, T& x) {
  pack(io, x.keys);
  io.field(x.revision), io.field(x.limit);
  io.field(x.min_create), io.field(x.max_create), io.field(x.min_mod), io.field(x.max_mod);
  io.choice(x.sort, EtcdSort::value);
  flags(io, x, &EtcdRange::descending, &EtcdRange::serializable, &EtcdRange::keys_only, &EtcdRange::count_only);
}
template <class Io, Is<EtcdPut> T>
void pack(Io& io, T& x) {
  io.field(x.key), io.field(x.value), io.field(x.lease);
  flags(io, x, &EtcdPut::previous);
}
template <class Io, Is<EtcdDelete> T>
void pack(Io& io, T& x) {
  pack(io, x.keys);
  flags(io, x, &EtcdDelete::previous);
}
template <class Io, Is<EtcdCompare> T>
void pack(Io& io, T& x) {
  pack(io, x.keys);
  io.choice(x.target, EtcdTarget::lease), io.choice(x.relation, EtcdRelation::not_equal);
  io.field(x.number), io.field(x.value);
}
template <class Io, Is<EtcdOp> T>
void pack(Io& io, T& x) {
  io.any(x, kPack);
}
template <class Io, Is<EtcdTxn> T>
void pack(Io& io, T& x) {
  io.list(x.compares, kPack), io.list(x.then, kPack), io.list(x.otherwise, kPack);
}
template <class Io, Is<EtcdCompaction> T>
void pack(Io& io, T& x) {
  io.field(x.revision);
}
template <class Io, Is<EtcdLeaseGrant> T>
void pack(Io& io, T& x) {
  io.field(x.id), io.field(x.ttl_s);
}
template <class Io, Is<EtcdLeaseRevoke> T>
void pack(Io& io, T& x) {
  io.field(x.id);
}
template <class Io, Is<EtcdLeaseQuery> T>
void pack(Io& io, T& x) {
  io.field(x.id);
  flags(io, x, &EtcdLeaseQuery::keys);
}
template <class Io, Is<EtcdLeaseRenew> T>
void pack(Io& io, T& x) {
  io.field(x.id);
  flags(io, x, &EtcdLeaseRenew::streamed);
}
template <class Io, Is<EtcdLeaseCheckpoint::One> T>
void pack(Io& io, T& x) {
  io.field(x.id), io.field(x.remaining_s);
}
template <class Io, Is<EtcdLeaseCheckpoint> T>
void pack(Io& io, T& x) {
  io.list(x.leases, kPack);
}
template <class Io, Is<EtcdWatchCreate> T>
void pack(Io& io, T& x) {
  io.field(x.id), pack(io, x.keys), io.field(x.revision);
  flags(io, x, &EtcdWatchCreate::progress, &EtcdWatchCreate::previous, &EtcdWatchCreate::no_puts,
        &EtcdWatchCreate::no_deletes, &EtcdWatchCreate::require_leader);
}
template <class Io, Is<EtcdWatchCancel> T>
void pack(Io& io, T& x) {
  io.field(x.id);
}
template <class Io, Is<EtcdLockCall> T>
void pack(Io& io, T& x) {
  io.field(x.name), io.field(x.lease), io.field(x.timeout_ns);
}
template <class Io, Is<EtcdUnlockCall> T>
void pack(Io& io, T& x) {
  io.field(x.key);
}
template <class Io, Is<EtcdLeaseStream> T>
void pack(Io& io, T& x) {
  flags(io, x, &EtcdLeaseStream::require_leader);
}
template <class Io, Is<EtcdPing> T>
void pack(Io&, T&) {}

template <class Io, Is<EtcdHeader> T>
void pack(Io& io, T& x) {
  io.field(x.member), io.field(x.revision), io.field(x.term);
}
template <class Io, Is<EtcdDone> T>
void pack(Io& io, T& x) {
  pack(io, x.header);
}
template <class Io, Is<EtcdRangeReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.list(x.kvs, kPack), io.field(x.count);
  flags(io, x, &EtcdRangeReply::more);
}
template <class Io, Is<EtcdPutReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.maybe(x.previous, kPack);
}
template <class Io, Is<EtcdDeleteReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.field(x.deleted), io.list(x.previous, kPack);
}
template <class Io, Is<EtcdOpReply> T>
void pack(Io& io, T& x) {
  io.any(x, kPack);
}
template <class Io, Is<EtcdTxnReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header);
  flags(io, x, &EtcdTxnReply::succeeded);
  io.list(x.results, kPack);
}
template <class Io, Is<EtcdLeaseReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.field(x.id), io.field(x.ttl_s), io.field(x.granted_ttl_s), io.list(x.keys, kPack);
}
template <class Io, Is<EtcdEvent> T>
void pack(Io& io, T& x) {
  flags(io, x, &EtcdEvent::deleted);
  pack(io, x.kv), io.maybe(x.previous, kPack);
}
template <class Io, Is<EtcdWatchReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.field(x.id);
  flags(io, x, &EtcdWatchReply::created, &EtcdWatchReply::cancelled);
  io.field(x.compacted), io.choice(x.error, EtcdError::malformed), io.list(x.events, kPack);
}
template <class Io, Is<EtcdLockReply> T>
void pack(Io& io, T& x) {
  pack(io, x.header), io.field(x.key);
}
template <class Io, Is<EtcdReply> T>
void pack(Io& io, T& x) {
  io.choice(x.error, EtcdError::malformed);
  if (x.error == EtcdError::none) io.any(x.body, kPack);
}

}  // namespace

bool is_unavailable(EtcdError e) {
  return leaves_unknown(e) || e == EtcdError::no_leader || e == EtcdError::leader_changed;
}

EtcdRequest to_request(EtcdCall&& call) {
  return std::visit([](auto& one) { return EtcdRequest(std::move(one)); }, call);
}

bool goes_through_log(const EtcdRequest& request) {
  if (const auto* txn = std::get_if<EtcdTxn>(&request)) return txn->writes();
  return std::holds_alternative<EtcdPut>(request) || std::holds_alternative<EtcdDelete>(request) ||
         std::holds_alternative<EtcdCompaction>(request) || std::holds_alternative<EtcdLeaseGrant>(request) ||
         std::holds_alternative<EtcdLeaseRevoke>(request) || std::holds_alternative<EtcdLeaseCheckpoint>(request);
}

void encode(const EtcdRequest& request, std::string& to) {
  Writer io(to);
  io.any(request, kPack);
  io.finish();
}
void encode(const EtcdReply& reply, std::string& to) {
  Writer io(to);
  pack(io, reply);
  io.finish();
}
std::string encode(const EtcdRequest& request) {
  std::string bytes;
  encode(request, bytes);
  return bytes;
}
std::string encode(const EtcdReply& reply) {
  std::string bytes;
  encode(reply, bytes);
  return bytes;
}

namespace {

// Requests begin with another byte than kTimeout, messages of Raft with another than the other two.
constexpr std::uint8_t kTimeout = 0xd0, kForwarded = 0xc8, kForwardedReply = 0xc9;
static_assert(std::variant_size_v<EtcdRequest> < kTimeout);

}  // namespace

void encode(const EtcdTimedRequest& timed, std::string& to) {
  PackedHead<2> head;
  if (timed.left < kForever) {
    head.byte(kTimeout);
    head.integer(timed.left.ns);
  }
  to.append(head.view());
  encode(timed.request, to);
}
void encode(const EtcdForwarded& forwarded, std::string& to) {
  PackedHead<4> head;
  head.byte(kForwarded);
  head.number(forwarded.member);
  head.number(forwarded.id);
  head.number(forwarded.hold);
  to.append(head.view());
  encode(forwarded.request, to);
}
void encode(const EtcdForwardedReply& forwarded, std::string& to) {
  PackedHead<4> head;
  head.byte(kForwardedReply);
  head.number(forwarded.member);
  head.number(forwarded.id);
  head.byte(forwarded.reply ? 1 : 0);
  to.append(head.view());
  if (forwarded.reply) encode(*forwarded.reply, to);
}

std::optional<EtcdRequest> decode_etcd_request(std::string_view bytes) {
  std::optional<EtcdRequest> request(std::in_place);
  Reader io(bytes);
  io.any(*request, kPack);
  if (!io.finished()) request.reset();
  return request;
}
std::optional<EtcdTimedRequest> decode_etcd_timed_request(std::string_view bytes) {
  Duration left = kForever;
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes[0]) == kTimeout) {
    Unpacker from(bytes.substr(1));
    left = Duration{from.integer()};
    bytes = from.rest();
  }
  std::optional<EtcdRequest> request = decode_etcd_request(bytes);
  if (!request) return std::nullopt;
  return EtcdTimedRequest{std::move(*request), left};
}
std::optional<EtcdReply> decode_etcd_reply(std::string_view bytes) {
  std::optional<EtcdReply> reply(std::in_place);
  Reader io(bytes);
  pack(io, *reply);
  if (!io.finished()) reply.reset();
  return reply;
}

}  // namespace picklock
