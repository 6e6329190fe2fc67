#include "bridge/jute.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace picklock {
namespace jute_test {

// A client's side, written apart from the reader: numbers with their highest byte first.
std::string number(std::int64_t value, int bytes = 4) {
  std::string out;
  for (int i = bytes; i-- > 0;) out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
  return out;
}
std::string text(const std::string& value) { return number(static_cast<std::int64_t>(value.size())) + value; }
std::string frame(const std::string& body) { return text(body); }
std::string greeting(std::int64_t session = 0, const std::string& password = std::string(16, '\0')) {
  return frame(number(0) + number(5, 8) + number(4000) + number(session, 8) + text(password) + std::string(1, '\0'));
}
std::string request(std::int32_t xid, std::int32_t type, const std::string& body) {
  return frame(number(xid) + number(type) + body);
}
// World, anybody.
const std::string kAcl = number(1) + number(31) + text("world") + text("anyone");
std::string create(const std::string& path, const std::string& data, std::int32_t flags) {
  return text(path) + text(data) + kAcl + number(flags);
}

std::vector<ZooRequest> read(const std::string& bytes, std::size_t piece, std::string* error = nullptr) {
  JuteConnection jute;
  std::vector<ZooRequest> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    jute.feed(std::string_view(bytes).substr(at, piece));
    while (auto r = jute.next()) all.push_back(std::move(*r));
  }
  if (error != nullptr) *error = jute.error();
  return all;
}

TEST(Jute, AClientsWordsBecomeRequests) {
  std::string error;
  const std::string set_watches = number(9, 8) + number(1) + text("/a") + number(0) + number(-1);
  const auto all =
      read(greeting(77, number(1234, 8) + std::string(8, 'x')) + request(1, 1, create("/lock/n-", "me", 3)) +
               request(2, 12, text("/lock") + std::string(1, '\1')) + request(-2, 11, "") +
               request(-8, 101, set_watches) + request(3, 2, text("/lock/n-0") + number(-1)) + request(4, -11, ""),
           1000, &error);
  EXPECT_EQ(error, "");
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0].op, ZooOp::connect);
  EXPECT_EQ(all[0].session, 77);
  EXPECT_EQ(all[0].password, 1234u);
  EXPECT_EQ(all[0].timeout_ms, 4000);
  EXPECT_EQ(all[0].relative_zxid, 5);
  EXPECT_EQ(all[1].op, ZooOp::create);
  EXPECT_EQ(all[1].mode, ZooMode::ephemeral_sequential);
  EXPECT_EQ(all[1].data, "me");
  EXPECT_EQ(all[2].op, ZooOp::get_children);
  EXPECT_TRUE(all[2].watch);
  EXPECT_EQ(all[3], ZooRequest::ping());
  EXPECT_EQ(all[4].data_watches, std::vector<std::string>{"/a"});
  EXPECT_EQ(all[5].op, ZooOp::remove);
  EXPECT_EQ(all[5].version, kZooAnyVersion);
  EXPECT_EQ(all[6].op, ZooOp::close_session);
}

RC_GTEST_PROP(Jute, RequestsDependOnNoCut, ()) {
  std::string bytes = greeting();
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
  std::int32_t xid = 0;
  for (const std::string& word : words) bytes += request(++xid, 3, text(word) + std::string(1, '\0'));
  const auto piece = *rc::gen::inRange<std::size_t>(1, 40);
  const auto cut = read(bytes, piece);
  RC_ASSERT(cut == read(bytes, bytes.size()));
  RC_ASSERT(cut.size() == words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i) RC_ASSERT(cut[i + 1].path == words[i]);
}

// Any bytes are read or refused; a frame that lies about its size takes no memory.
RC_GTEST_PROP(Jute, AnyBytesAreReadOrRefused, ()) {
  const auto bytes = greeting() + *rc::gen::container<std::string>(rc::gen::element('\0', '\1', '\2', '\377', 'a'));
  const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
  std::string cut_error, error;
  RC_ASSERT(read(bytes, piece, &cut_error) == read(bytes, bytes.size(), &error));
  RC_ASSERT(cut_error == error);
}

TEST(Jute, WrongBytesAreNamed) {
  std::string error;
  EXPECT_TRUE(read(number(0x7fffffff), 4, &error).empty());
  EXPECT_EQ(error, "found a frame of 2147483647 bytes, expected 0 to 1048575");
  read(frame("hello"), 100, &error);
  EXPECT_EQ(error, "found no ConnectRequest at the beginning");
  read(greeting() + request(1, 3, number(50) + "/short"), 100, &error);
  EXPECT_EQ(error, "found a request of type 3 whose bytes are wrong");
  read(greeting() + request(7, 11, ""), 100, &error);
  EXPECT_EQ(error, "found the number 7 for a request of type 11");
  read(greeting() + request(-2, 3, text("/n") + std::string(1, '\0')), 100, &error);
  EXPECT_EQ(error, "found the number -2 for a request of type 3") << "its answer would be taken for that of a ping";
}

class Answers : public ::testing::Test {
 protected:
  Answers() {
    jute_.feed(greeting());
    EXPECT_TRUE(jute_.next().has_value());
    ZooReply welcome;
    welcome.session = 9;
    welcome.password = 11;
    welcome.timeout_ms = 4000;
    EXPECT_EQ(jute_.write(welcome), frame(number(0) + number(4000) + number(9, 8) + number(16) + number(11, 8) +
                                          std::string(8, '\0') + std::string(1, '\0')));
  }
  void ask(std::int32_t xid, std::int32_t type, const std::string& body, bool of_server = true) {
    jute_.feed(request(xid, type, body));
    EXPECT_EQ(jute_.next().has_value(), of_server);
  }
  static ZooReply reply(std::int32_t xid, ZooCode code = ZooCode::ok) {
    ZooReply r;
    r.xid = xid;
    r.zxid = 7;
    r.code = code;
    return r;
  }
  static std::string head(std::int32_t xid, std::int32_t code = 0, std::int64_t zxid = 7) {
    return number(xid) + number(zxid, 8) + number(code);
  }
  JuteConnection jute_;
};

TEST_F(Answers, HaveTheFormOfTheirRequest) {
  ask(1, 1, create("/n", "", 1));
  ask(2, 15, create("/m", "", 0));
  ask(3, 8, text("/") + std::string(1, '\0'));
  ask(4, 12, text("/") + std::string(1, '\0'));
  ask(5, 2, text("/n") + number(3));
  ZooReply created = reply(1);
  created.path = "/n";
  EXPECT_EQ(jute_.write(created), frame(head(1) + text("/n"))) << "create answers with the path alone";
  created.xid = 2;
  created.path = "/m";
  created.stat.czxid = 5;
  const std::string with_stat = jute_.write(created);
  EXPECT_EQ(with_stat.size(), 4 + 16 + 4 + 2 + 68u) << "create2 with its Stat";
  EXPECT_EQ(with_stat.substr(26, 8), number(5, 8));
  ZooReply listed = reply(3);
  listed.children = {"b", "a"};
  EXPECT_EQ(jute_.write(listed), frame(head(3) + number(2) + text("b") + text("a")));
  listed.xid = 4;
  EXPECT_EQ(jute_.write(listed).size(), 4 + 16 + 4 + 5 + 5 + 68u) << "getChildren2 with the Stat of the parent";
  EXPECT_EQ(jute_.write(reply(5, ZooCode::bad_version)), frame(head(5, -103)));
}

TEST_F(Answers, NotificationsAndPingsMayComeBetween) {
  ask(1, 3, text("/n") + std::string(1, '\1'));
  ask(-2, 11, "");
  EXPECT_EQ(jute_.write(reply(kZooPingXid)), frame(head(-2)));
  ZooReply event;
  event.event = ZooEventType::deleted;
  event.path = "/n";
  EXPECT_EQ(jute_.write(event), frame(head(-1, 0, -1) + number(2) + number(3) + text("/n")));
  EXPECT_EQ(jute_.write(reply(1, ZooCode::no_node)), frame(head(1, -101)));
}

// What the simulated server does not know is answered here, but not before what was asked earlier.
TEST_F(Answers, WhatIsAnsweredHereKeepsItsTurn) {
  ask(1, 3, text("/n") + std::string(1, '\0'));
  ask(2, 6, text("/n"), false);  // getACL
  ask(-4, 100, number(0) + text("digest") + text("me:secret"), false);
  EXPECT_EQ(jute_.take_own_answers(), "");
  EXPECT_EQ(jute_.write(reply(1, ZooCode::no_node)),
            frame(head(1, -101)) + frame(head(2, -6, 0)) + frame(head(-4, 0, 0)));
  ask(3, 6, text("/n"), false);
  EXPECT_EQ(jute_.take_own_answers(), frame(head(3, -6, 0)));
}

TEST_F(Answers, AMultiTellsOfEachPart) {
  const auto part = [](std::int32_t type) { return number(type) + std::string(1, '\0') + number(-1); };
  const std::string end = number(-1) + std::string(1, '\1') + number(-1);
  const std::string both = part(1) + create("/a", "", 0) + part(13) + text("/b") + number(4) + end;
  ask(1, 14, both);
  ask(2, 14, both);
  ZooReply done = reply(1);
  done.parts.resize(2);
  done.parts[0].path = "/a";
  const auto told = [](std::int32_t type, std::int32_t code) {
    return number(type) + std::string(1, '\0') + number(code);
  };
  EXPECT_EQ(jute_.write(done), frame(head(1) + told(1, 0) + text("/a") + told(13, 0) + end));
  ZooReply failed = reply(2, ZooCode::bad_version);
  failed.parts.resize(2);
  failed.parts[1].code = ZooCode::bad_version;
  EXPECT_EQ(jute_.write(failed), frame(head(2) + told(-1, 0) + number(0) + told(-1, -103) + number(-103) + end));
}

}  // namespace jute_test
}  // namespace picklock
