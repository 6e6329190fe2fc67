#include "sim/zookeeper/tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/zookeeper/inspect.hpp"
#include "sim/zookeeper/tree_changes.hpp"

namespace picklock {
namespace {

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string w; text >> w;) words.push_back(w);
  return words;
}

ZooRequest request_in(const std::vector<std::string>& words, std::size_t from = 0) {
  const auto word = [&](std::size_t i) { return from + i < words.size() ? words[from + i] : std::string(); };
  ZooRequest r;
  r.path = word(1);
  const auto version = [&](std::size_t i) { return word(i).empty() ? kZooAnyVersion : std::stoi(word(i)); };
  if (word(0) == "create") {
    r.op = ZooOp::create;
    const std::string mode = word(2);
    r.mode = mode == "e"    ? ZooMode::ephemeral
             : mode == "s"  ? ZooMode::persistent_sequential
             : mode == "es" ? ZooMode::ephemeral_sequential
             : mode == "c"  ? ZooMode::container
                            : ZooMode::persistent;
  } else if (word(0) == "delete") {
    r.op = ZooOp::remove;
    r.version = version(2);
  } else if (word(0) == "set") {
    r.op = ZooOp::set_data;
    r.data = word(2);
    r.version = version(3);
  } else if (word(0) == "check") {
    r.op = ZooOp::check;
    r.version = version(2);
  } else if (word(0) == "ls") {
    r.op = ZooOp::get_children;
  } else if (word(0) == "get") {
    r.op = ZooOp::get_data;
  } else if (word(0) == "stat") {
    r.op = ZooOp::exists;
  }
  return r;
}

std::string text_of(const ZooStat& s) {
  return fmt::format("c{} m{} p{} version {} cversion {} owner {} length {} children {}", s.czxid, s.mzxid, s.pzxid,
                     s.version, s.cversion, s.ephemeral_owner, s.data_length, s.children);
}

// A leader and its tree, told in lines: "SESSION: request", "begin" … "end" for what is prepared
// before any of it is applied, "counter PATH N" to begin near the end of the numbers.
class Teller {
 public:
  std::string tell(const std::string& line) {
    std::vector<std::string> words = words_in(line);
    std::string out;
    if (words[0] == "begin") {
      delayed_ = true;
    } else if (words[0] == "end") {
      delayed_ = false;
      for (const ZooTxn& txn : std::exchange(waiting_, {})) out += apply(txn);
    } else if (words[0] == "counter") {
      set_counter(words[1], std::stoi(words[2]));
    } else if (words[0] == "containers") {
      for (const std::string& path : tree_.containers_to_remove()) {
        out += "  " + path + '\n' + propose(changes_.prepare_container_removal(path, zxid_ + 1));
      }
    } else if (words[0] == "sticks") {
      tree_ = ZooTree(ZooOverflow::sticks);
    } else {
      const std::int64_t session = std::stoll(words[0]);
      words.erase(words.begin());
      out = ask(session, words);
    }
    return out;
  }

 private:
  std::string ask(std::int64_t session, const std::vector<std::string>& words) {
    if (words[0] == "open") return propose(ZooTreeChanges::prepare_session(session, 6000, 1));
    if (words[0] == "close") return propose(changes_.prepare_close(session, zxid_ + 1));
    if (words[0] == "multi") {
      ZooRequest multi;
      multi.op = ZooOp::multi;
      for (std::size_t i = 1; i < words.size();) {
        std::size_t end = i;
        while (end < words.size() && words[end] != ",") ++end;
        const auto at = [&](std::size_t n) { return words.begin() + static_cast<std::ptrdiff_t>(n); };
        multi.parts.push_back(request_in({at(i), at(end)}));
        i = end + 1;
      }
      return propose(changes_.prepare(multi, session, zxid_ + 1));
    }
    const ZooRequest request = request_in(words);
    if (is_write(request.op)) return propose(changes_.prepare(request, session, zxid_ + 1));
    ZooReply reply = tree_.read(request);
    std::sort(reply.children.begin(), reply.children.end());
    return "  " + reply.to_string() + (request.op == ZooOp::exists ? ' ' + text_of(reply.stat) : "") + '\n';
  }
  std::string propose(ZooTxn txn) {
    ++zxid_;
    if (!delayed_) return apply(txn);
    waiting_.push_back(std::move(txn));
    return "";
  }
  std::string apply(const ZooTxn& txn) {
    std::string packed;
    encode(txn, packed);
    ZooTxn back;
    EXPECT_TRUE(decode(packed, back) && back == txn);
    std::vector<ZooEffect> effects;
    const std::int64_t zxid = tree_.last_zxid() + 1;
    const ZooReply reply = tree_.apply(txn, zxid, effects);
    changes_.applied(zxid);
    std::string out = fmt::format("  {}: {}\n", zxid, reply.to_string());
    for (const ZooEffect& e : effects) {
      constexpr std::string_view kKinds[] = {"created", "deleted", "set"};
      out += fmt::format("    {} {}\n", kKinds[static_cast<std::size_t>(e.kind)], e.path.text());
    }
    return out;
  }
  void set_counter(const std::string& path, std::int32_t counter) {  // uses the packed form, as a snapshot has it
    ZooTxn make;
    make.kind = ZooTxn::Kind::create;
    make.path = ZooPath(path + "/last");
    make.version = counter;
    std::vector<ZooEffect> effects;
    tree_.apply(make, ++zxid_, effects);
    make.kind = ZooTxn::Kind::remove;
    tree_.apply(make, ++zxid_, effects);
  }

  ZooTree tree_;
  ZooTreeChanges changes_{tree_};
  std::int64_t zxid_ = 0;
  bool delayed_ = false;
  std::vector<ZooTxn> waiting_;
};

// testdata/tree.txt holds commands and behind each what comes of it, indented.
TEST(ZooTree, DoesWhatTheTextSays) {
  const std::string path = std::string(PICKLOCK_SOURCE_DIR) + "/sim/zookeeper/testdata/tree.txt";
  std::ifstream file(path);
  ASSERT_TRUE(file);
  std::string found, expected;
  std::optional<Teller> teller(std::in_place);
  for (std::string line; std::getline(file, line);) {
    expected += line + '\n';
    if (line.starts_with("  ")) continue;
    found += line + '\n';
    if (line.starts_with("=")) teller.emplace();
    if (!line.empty() && line[0] != '#' && line[0] != '=') found += teller->tell(line);
  }
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << found;
  } else {
    EXPECT_EQ(found, expected);
  }
}

// --- against a slow model: requests one after the other, no transactions, every number counted anew

struct SlowTree {
  struct Node {
    std::string data;
    std::int64_t czxid, mzxid, pzxid, owner;
    std::int32_t version = 0;
    std::uint32_t creates = 0;
    bool container = false;
  };
  std::vector<std::pair<std::string, Node>> nodes{{"/", {"", 0, 0, 0, 0, 0, 0, false}}};

  Node* find(const std::string& path) {
    for (auto& [p, node] : nodes) {
      if (p == path) return &node;
    }
    return nullptr;
  }
  std::vector<std::string> children(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& [p, node] : nodes) {
      if (p != "/" && zoo_parent(p) == path) names.emplace_back(zoo_name(p));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  ZooStat stat(const std::string& path) {
    const Node& n = *find(path);
    const auto count = static_cast<std::int32_t>(children(path).size());
    return {n.czxid,
            n.mzxid,
            n.pzxid,
            n.version,
            static_cast<std::int32_t>(2 * n.creates) - count,
            n.owner,
            static_cast<std::int32_t>(n.data.size()),
            count};
  }
  void drop(const std::string& path, std::int64_t zxid) {
    std::erase_if(nodes, [&](const auto& n) { return n.first == path; });
    find(std::string(zoo_parent(path)))->pzxid = zxid;
  }
  ZooCode run(const ZooRequest& r, std::int64_t session, std::int64_t zxid, std::string& made) {
    if (r.op == ZooOp::multi) {
      const auto before = nodes;
      for (const ZooCall& part : r.parts) {
        const ZooCode code = run(part, session, zxid, made);
        if (code == ZooCode::ok) continue;
        nodes = before;
        return code;
      }
      return ZooCode::ok;
    }
    if (r.op == ZooOp::create) {
      Node* const parent = find(std::string(zoo_parent(r.path)));
      if (parent == nullptr) return ZooCode::no_node;
      made = r.path + (is_sequential(r.mode) ? fmt::format("{:010d}", parent->creates) : "");
      if (find(made) != nullptr) return ZooCode::node_exists;
      if (parent->owner != 0) return ZooCode::no_children_for_ephemerals;
      ++parent->creates;
      parent->pzxid = zxid;
      const std::int64_t owner = is_ephemeral(r.mode) ? session : 0;
      nodes.push_back({made, {r.data, zxid, zxid, zxid, owner, 0, 0, r.mode == ZooMode::container}});
      return ZooCode::ok;
    }
    Node* const node = find(r.path);
    if (node == nullptr) return ZooCode::no_node;
    if (r.version != kZooAnyVersion && r.version != node->version) return ZooCode::bad_version;
    if (r.op == ZooOp::remove) {
      if (!children(r.path).empty()) return ZooCode::not_empty;
      drop(r.path, zxid);
    } else if (r.op == ZooOp::set_data) {
      node->data = r.data;
      ++node->version;
      node->mzxid = zxid;
    }
    return ZooCode::ok;
  }
  void close(std::int64_t session, std::int64_t zxid) {
    for (const auto& [path, node] : std::vector(nodes)) {
      if (node.owner == session && session != 0) drop(path, zxid);
    }
  }
};

ZooRequest any_write(bool in_multi) {
  static const std::vector<std::string> kPaths = {"/a", "/b", "/a/x", "/a/y", "/b/x", "/a/x/z", "/c"};
  ZooRequest r;
  r.op = *rc::gen::weightedElement<ZooOp>({{5, ZooOp::create},
                                           {3, ZooOp::remove},
                                           {2, ZooOp::set_data},
                                           {1, ZooOp::check},
                                           {in_multi ? 0U : 2U, ZooOp::multi}});
  if (r.op == ZooOp::multi) {
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) r.parts.push_back(any_write(true));
    return r;
  }
  r.path = *rc::gen::elementOf(kPaths);
  if (r.op == ZooOp::create) {
    r.mode = static_cast<ZooMode>(*rc::gen::inRange(0, 5));
    if (is_sequential(r.mode)) r.path += '-';
  }
  r.data = r.op == ZooOp::set_data ? *rc::gen::elementOf(std::vector<std::string>{"", "one", "other"}) : "";
  r.version = *rc::gen::weightedElement<std::int32_t>({{4, kZooAnyVersion}, {1, 0}, {1, 1}});
  return r;
}

// Requests are prepared as many ahead of their application as it pleases, and come to the same.
RC_GTEST_PROP(ZooTree, DoesWhatASlowOneDoes, ()) {
  ZooTree tree;
  ZooTreeChanges changes(tree);
  SlowTree slow;
  std::deque<std::pair<ZooTxn, std::pair<ZooCode, std::string>>> waiting;
  std::int64_t zxid = 0;
  const int requests = *rc::gen::inRange(1, 60);
  const auto apply_one = [&] {
    std::vector<ZooEffect> effects;
    const auto& [txn, expected] = waiting.front();
    const ZooReply reply = tree.apply(txn, tree.last_zxid() + 1, effects);
    changes.applied(tree.last_zxid());
    RC_ASSERT(reply.code == expected.first);
    if (txn.kind == ZooTxn::Kind::create) RC_ASSERT(reply.path == expected.second);
    waiting.pop_front();
  };
  for (int i = 0; i < requests; ++i) {
    const auto session = *rc::gen::inRange<std::int64_t>(1, 4);
    ++zxid;
    std::string made;
    if (*rc::gen::inRange(0, 12) == 0) {
      slow.close(session, zxid);
      waiting.push_back({changes.prepare_close(session, zxid), {ZooCode::ok, ""}});
    } else {
      const ZooRequest request = any_write(false);
      ZooTxn txn = changes.prepare(request, session, zxid);
      const ZooCode code = slow.run(request, session, zxid, made);
      waiting.push_back({std::move(txn), {code, made}});
    }
    for (int n = *rc::gen::inRange(0, 4); n > 1 && !waiting.empty(); --n) apply_one();
  }
  while (!waiting.empty()) apply_one();
  RC_ASSERT(changes.under_way() == 0U);
  RC_ASSERT(tree.size() == slow.nodes.size());
  for (const auto& [path, node] : slow.nodes) {
    RC_ASSERT(tree.find(path) != nullptr);
    RC_ASSERT(tree.find(path)->stat() == slow.stat(path));
    RC_ASSERT(tree.find(path)->data == node.data);
  }
  ZooTree copy;
  RC_ASSERT(copy.load(tree.snapshot()));
  RC_ASSERT(copy.digest() == tree.digest());
  RC_ASSERT(std::ranges::equal(copy.nodes(), tree.nodes(), [](const auto* a, const auto* b) { return *a == *b; }));
  for (const std::int64_t session : {1, 2, 3}) RC_ASSERT(copy.ephemerals_of(session) == tree.ephemerals_of(session));
  RC_ASSERT(copy.containers_to_remove() == tree.containers_to_remove());
}

RC_GTEST_PROP(ZooTree, WhatIsNoSnapshotIsRefused, (std::string bytes)) {
  ZooTree tree;
  if (tree.load(bytes)) return;
  RC_ASSERT(tree.size() == 1U);
}

TEST(ZooTree, NumbersAtTheEndOfNames) {
  EXPECT_EQ(zoo_sequence_suffix(0), "0000000000");
  EXPECT_EQ(zoo_sequence_suffix(2147483647), "2147483647");
  EXPECT_EQ(zoo_sequence_suffix(-2147483647 - 1), "-2147483648") << "eleven characters, and '-' sorts first";
  EXPECT_EQ(zoo_sequence_suffix(-1), "-000000001");
  std::int32_t n = 7;
  for (const std::int32_t i : {0, 12, 2147483647, -2147483647 - 1, -2147483647, -1}) {
    ASSERT_TRUE(zoo_sequence_of("/lock/x-" + zoo_sequence_suffix(i), n)) << i;
    EXPECT_EQ(n, i);
  }
  for (const char* plain : {"/x", "/lock/0123", "/n-00000a0000", "/lock-abcdefghij"}) {
    EXPECT_FALSE(zoo_sequence_of(plain, n)) << plain;
  }
}

TEST(ZooTree, ADirectoryMayHaveAHistoryBehindIt) {
  ZooTree tree(ZooOverflow::negative, {{"/lock", 2147483647, true}});
  EXPECT_EQ(tree.containers_to_remove(), std::vector<std::string>{"/lock"});
  ZooTreeChanges changes(tree);
  std::vector<ZooEffect> effects;
  ZooRequest create;
  create.op = ZooOp::create;
  create.path = "/lock/n-";
  create.mode = ZooMode::persistent_sequential;
  EXPECT_EQ(tree.apply(changes.prepare(create, 0, 1), 1, effects).path, "/lock/n-2147483647");
  changes.applied(1);
  EXPECT_EQ(tree.apply(changes.prepare(create, 0, 2), 2, effects).path, "/lock/n--2147483648");
  ZooTree other(ZooOverflow::negative, {{"/lock", 7, false}, {"/lock/deeper", 3, false}});
  ASSERT_TRUE(other.load(tree.snapshot())) << "what a snapshot says is all there is";
  EXPECT_EQ(other.digest(), tree.digest());
  other.clear();
  EXPECT_EQ(other.find("/lock")->stat().children, 1);
}

}  // namespace
}  // namespace picklock
