// A simulated Redis server on standard input and output, in Redis's protocol: scripts/compare-scripts asks it and a real
// one the same.  Beside the server's commands it knows
//
//   PICKLOCK-CLOCK ms    sets its clock
//   PICKLOCK-SCRIPTS     the scripts that picklock's locks send: [name, text, name, text, …]
//   PICKLOCK-EFFECTS     commands that its append-only file has got since the last question: [[word, …], …]
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/redis/redis_scripts.hpp"
#include "sim/redis/database.hpp"

namespace picklock {
namespace {

// A line without its end; false at the end of the input.
bool read_line(std::string& line) {
  if (!std::getline(std::cin, line)) return false;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

// *2\r\n$3\r\nGET\r\n$1\r\nk\r\n
bool read_command(RedisCommand& command) {
  std::string line;
  if (!read_line(line) || line.empty() || line[0] != '*') return false;
  const int words = std::stoi(line.substr(1));
  command.clear();
  for (int i = 0; i < words; ++i) {
    if (!read_line(line) || line.empty() || line[0] != '$') return false;
    std::string word(std::stoul(line.substr(1)), '\0');
    std::cin.read(word.data(), static_cast<std::streamsize>(word.size()));
    if (!read_line(line)) return false;
    command.add(word);
  }
  return true;
}

void write_reply(std::ostream& out, const RedisReply& reply) {
  switch (reply.kind()) {
    case RedisReply::Kind::nil:
      out << "$-1\r\n";
      return;
    case RedisReply::Kind::integer:
      out << ':' << reply.integer() << "\r\n";
      return;
    case RedisReply::Kind::status:
      out << '+' << reply.text() << "\r\n";
      return;
    case RedisReply::Kind::error:
      out << '-' << reply.text() << "\r\n";
      return;
    case RedisReply::Kind::bulk:
      out << '$' << reply.text().size() << "\r\n" << reply.text() << "\r\n";
      return;
    case RedisReply::Kind::array:
      out << '*' << reply.elements().size() << "\r\n";
      for (const RedisReply& element : reply.elements()) write_reply(out, element);
  }
}

class ScriptServer {
 public:
  RedisReply answer(const RedisCommand& command) {
    if (command.arg(0) == "PICKLOCK-CLOCK") {
      now_ms_ = std::stoll(std::string(command.arg(1)));
      return RedisReply::ok();
    }
    if (command.arg(0) == "PICKLOCK-SCRIPTS") return scripts();
    if (command.arg(0) == "PICKLOCK-EFFECTS") return std::exchange(effects_, RedisReply::array());
    out_.clear();
    RedisReply reply = database_.execute(session_, command, now_ms_, out_);
    out_.for_each_effect(EffectTarget::append_only_file,
                         [this](const RedisCommandView& effect) { note_effect(effect); });
    return reply;
  }

 private:
  static RedisReply scripts() {
    RedisReply all = RedisReply::array();
    for (const RedisScript* script : redis_scripts()) {
      all.push_back(RedisReply::bulk(script->name));
      all.push_back(RedisReply::bulk(script->lua));
    }
    return all;
  }
  void note_effect(const RedisCommandView& effect) {
    RedisReply words = RedisReply::array();
    for (std::size_t i = 0; i < effect.argc(); ++i) words.push_back(RedisReply::bulk(effect.arg(i)));
    effects_.push_back(std::move(words));
  }

  RedisDatabase database_{redis_scripts()};
  RedisSession session_{1};
  RedisOutputs out_;
  RedisReply effects_ = RedisReply::array();
  std::int64_t now_ms_ = 0;
};

int serve() {
  ScriptServer server;
  RedisCommand command;
  while (read_command(command)) {
    write_reply(std::cout, server.answer(command));
    std::cout.flush();
  }
  return 0;
}

}  // namespace
}  // namespace picklock

int main() { return picklock::serve(); }
