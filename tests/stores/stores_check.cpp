// Serves the stores of the simulated servers to a script that asks real ones the same (scripts/compare-stores).
//
//   stores_check redis      input: per command a line "now-ms session n", then n times a line "length" and as many bytes;
//                           output: replies as RESP 2, written when the command is SYNC-OUTPUT
//   stores_check etcd       a request a line, as {"path": "kv/put", "body": …} of etcd's JSON gateway; an answer a line
//   stores_check zookeeper  a request a line, {"session": 1, "op": "create", …}; an answer a line

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/redis/redis_scripts.hpp"
#include "sim/etcd/state.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/wire.hpp"
#include "sim/zookeeper/tree_changes.hpp"

namespace {

using namespace picklock;
using Json = nlohmann::json;

// --- Redis

void write_resp(const RedisReply& reply, std::string& out) {
  using Kind = RedisReply::Kind;
  switch (reply.kind()) {
    case Kind::nil:
      out += "$-1\r\n";
      return;
    case Kind::integer:
      out += ':' + std::to_string(reply.integer()) + "\r\n";
      return;
    case Kind::status:
      out.append("+").append(reply.text()).append("\r\n");
      return;
    case Kind::error:
      out.append("-").append(reply.text()).append("\r\n");
      return;
    case Kind::bulk:
      out += '$' + std::to_string(reply.text().size()) + "\r\n";
      out.append(reply.text()).append("\r\n");
      return;
    case Kind::array:
      out += '*' + std::to_string(reply.elements().size()) + "\r\n";
      for (const RedisReply& element : reply.elements()) write_resp(element, out);
      return;
  }
}

int serve_redis() {
  RedisDatabase database(redis_scripts());
  RedisSession sessions[] = {RedisSession(1), RedisSession(2), RedisSession(3)};
  std::int64_t now_ms = 0;
  std::size_t session = 0, arguments = 0;
  std::string out;
  while (std::cin >> now_ms >> session >> arguments) {
    std::vector<std::string> words(arguments);
    for (std::string& word : words) {
      std::size_t length = 0;
      std::cin >> length;
      std::cin.get();
      word.resize(length);
      std::cin.read(word.data(), static_cast<std::streamsize>(length));
    }
    if (session >= std::size(sessions) || words.empty()) return 2;
    if (words[0] == "SYNC-OUTPUT") {
      std::fwrite(out.data(), 1, out.size(), stdout);
      std::fflush(stdout);
      out.clear();
      continue;
    }
    RedisCommand command(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) command.add(words[i]);
    RedisOutputs outputs;
    write_resp(database.execute(sessions[session], RedisCommandView(command.bytes()), now_ms, outputs), out);
  }
  return 0;
}

// --- etcd: integers are texts in its JSON, bytes are texts here, and what is 0 or empty is left out

std::string text(const Json& body, const char* name) { return body.value(name, std::string()); }
std::int64_t number(const Json& body, const char* name) {
  const std::string digits = body.value(name, std::string("0"));
  return std::stoll(digits);
}
bool flag(const Json& body, const char* name) { return body.value(name, false); }

template <class E>
E choice(const Json& body, const char* name, std::initializer_list<std::string_view> names) {
  const std::string said = text(body, name);
  std::size_t i = 0;
  for (const std::string_view one : names) {
    if (one == said) return static_cast<E>(i);
    ++i;
  }
  return E{};
}

EtcdInterval interval(const Json& body) { return {text(body, "key"), text(body, "range_end")}; }

EtcdRange range_of(const Json& body) {
  EtcdRange r{interval(body)};
  r.revision = number(body, "revision");
  r.limit = number(body, "limit");
  r.min_create = number(body, "min_create_revision"), r.max_create = number(body, "max_create_revision");
  r.min_mod = number(body, "min_mod_revision"), r.max_mod = number(body, "max_mod_revision");
  r.sort = choice<EtcdSort>(body, "sort_target", {"KEY", "VERSION", "CREATE", "MOD", "VALUE"});
  r.descending = text(body, "sort_order") == "DESCEND";
  r.keys_only = flag(body, "keys_only"), r.count_only = flag(body, "count_only");
  r.serializable = flag(body, "serializable");
  return r;
}
EtcdPut put_of(const Json& body) {
  EtcdPut p(text(body, "key"), text(body, "value"), number(body, "lease"));
  p.previous = flag(body, "prev_kv");
  return p;
}
EtcdDelete delete_of(const Json& body) {
  EtcdDelete d{interval(body)};
  d.previous = flag(body, "prev_kv");
  return d;
}
EtcdOp op_of(const Json& body) {
  if (body.contains("request_range")) return range_of(body["request_range"]);
  if (body.contains("request_put")) return put_of(body["request_put"]);
  return delete_of(body.at("request_delete_range"));
}
EtcdCompare compare_of(const Json& body) {
  EtcdCompare c;
  c.keys = interval(body);
  c.target = choice<EtcdTarget>(body, "target", {"VERSION", "CREATE", "MOD", "VALUE", "LEASE"});
  c.relation = choice<EtcdRelation>(body, "result", {"EQUAL", "GREATER", "LESS", "NOT_EQUAL"});
  c.value = text(body, "value");
  for (const char* name : {"version", "create_revision", "mod_revision", "lease"}) {
    if (body.contains(name)) c.number = number(body, name);
  }
  return c;
}
EtcdTxn txn_of(const Json& body) {
  EtcdTxn t;
  for (const Json& c : body.at("compare")) t.compares.push_back(compare_of(c));
  for (const Json& op : body.at("success")) t.then.push_back(op_of(op));
  for (const Json& op : body.at("failure")) t.otherwise.push_back(op_of(op));
  return t;
}
EtcdRequest etcd_request(const std::string& path, const Json& body) {
  if (path == "kv/range") return range_of(body);
  if (path == "kv/put") return put_of(body);
  if (path == "kv/deleterange") return delete_of(body);
  if (path == "kv/txn") return txn_of(body);
  if (path == "kv/compaction") return EtcdCompaction{number(body, "revision")};
  if (path == "lease/grant") return EtcdLeaseGrant{number(body, "ID"), number(body, "TTL")};
  return EtcdLeaseRevoke{number(body, "ID")};
}

Json shown(const EtcdKeyValue& kv) {
  return {kv.key, kv.value, kv.create_revision, kv.mod_revision, kv.version, kv.lease};
}
Json shown(const std::vector<EtcdKeyValue>& all) {
  Json out = Json::array();
  for (const EtcdKeyValue& kv : all) out.push_back(shown(kv));
  return out;
}
Json shown(const EtcdRangeReply& r) { return {{"kvs", shown(r.kvs)}, {"count", r.count}, {"more", r.more}}; }
Json shown(const EtcdPutReply& r) { return {{"prev_kv", r.previous ? shown(*r.previous) : Json()}}; }
Json shown(const EtcdDeleteReply& r) { return {{"deleted", r.deleted}, {"prev_kvs", shown(r.previous)}}; }
Json shown(const EtcdTxnReply& r) {
  Json results = Json::array();
  for (const EtcdOpReply& one : r.results) results.push_back(std::visit([](const auto& o) { return shown(o); }, one));
  return {{"succeeded", r.succeeded}, {"responses", results}};
}
template <class T>
Json shown(const T&) {
  return Json::object();
}

int serve_etcd() {
  EtcdState state;  // as in 3.4, where a transaction looks at its puts first
  state.lessor().promote(MonoTime{}, Duration{});
  for (std::string line; std::getline(std::cin, line);) {
    const Json said = Json::parse(line);
    const EtcdRequest request = etcd_request(said.at("path"), said.at("body"));
    const EtcdError refused = check_etcd_request(request);
    EtcdReply reply = EtcdReply::failed(refused);
    if (refused == EtcdError::none) {
      reply = goes_through_log(request) ? state.apply(request, MonoTime{}).reply : state.read(request);
    }
    Json answer = {{"error", std::string(to_string(reply.error))}, {"top", state.store().revision()}};
    if (reply.error == EtcdError::none) {
      answer["body"] = std::visit([](const auto& r) { return shown(r); }, reply.body);
      answer["revision"] = reply.header().revision;
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

// --- ZooKeeper: a leader's tree, with two sessions

ZooCall call_of(const Json& body) {
  ZooCall c;
  const std::string op = body.at("op");
  c.op = op == "create"         ? ZooOp::create
         : op == "delete"       ? ZooOp::remove
         : op == "set"          ? ZooOp::set_data
         : op == "check"        ? ZooOp::check
         : op == "exists"       ? ZooOp::exists
         : op == "get"          ? ZooOp::get_data
         : op == "get_children" ? ZooOp::get_children
                                : ZooOp::multi;
  c.path = body.value("path", "");
  c.data = body.value("data", "");
  c.mode = static_cast<ZooMode>(body.value("mode", 0));
  c.version = body.value("version", kZooAnyVersion);
  if (body.contains("parts")) {
    for (const Json& part : body["parts"]) c.parts.push_back(call_of(part));
  }
  return c;
}

Json shown(const ZooStat& s) {
  return {s.czxid, s.mzxid, s.pzxid, s.version, s.cversion, s.ephemeral_owner, s.data_length, s.children};
}
Json shown(const ZooAnswer& a) {
  Json out = {{"code", static_cast<int>(a.code)}, {"path", a.path}, {"data", a.data}, {"stat", shown(a.stat)}};
  out["children"] = a.children;
  out["parts"] = Json::array();
  for (const ZooAnswer& part : a.parts) out["parts"].push_back(shown(part));
  return out;
}

int serve_zookeeper() {
  ZooTree tree(ZooOverflow::sticks);
  ZooTreeChanges changes(tree);
  std::vector<ZooEffect> effects;
  std::int64_t zxid = 0;
  const auto apply = [&](const ZooTxn& txn) {
    const ZooReply reply = tree.apply(txn, zxid, effects);
    changes.applied(zxid);
    effects.clear();
    return reply;
  };
  for (const std::int64_t session : {1, 2}) {
    ++zxid;
    (void)apply(ZooTreeChanges::prepare_session(session, 30'000, 0));
  }
  for (std::string line; std::getline(std::cin, line);) {
    const Json said = Json::parse(line);
    const ZooRequest request(call_of(said));
    const bool reads =
        request.op == ZooOp::exists || request.op == ZooOp::get_data || request.op == ZooOp::get_children;
    ZooReply reply;
    if (reads) {
      reply = tree.read(request);
    } else {
      ++zxid;
      reply = apply(changes.prepare(request, said.at("session"), zxid));
    }
    std::cout << shown(static_cast<const ZooAnswer&>(reply)).dump() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::string_view store = argc == 2 ? argv[1] : "";
  if (store == "redis") return serve_redis();
  if (store == "etcd") return serve_etcd();
  if (store == "zookeeper") return serve_zookeeper();
  std::fputs("usage: stores_check redis|etcd|zookeeper\n", stderr);
  return 2;
}
