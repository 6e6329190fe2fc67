// Golden files: testdata/*.txt hold commands and the answers of the server.
//
//   @ 1000              the wall clock, in ms          + 5      the clock goes on by 5 ms
//   > GET key           a command of session a         b> …     of session b
//   nil                 its reply
//   <b channel text     a message delivered to session b (<b pattern channel text: by a pattern)
//   ~ SET key v         an effect, after `% effects`
//   ! set key 1100      a change of a key, after `% notes`
//   % script name lua   the script that EVAL name runs on a real server
//   % close b           the connection ends            ---      a fresh server without connections
//
// PICKLOCK_REWRITE_GOLDEN=1 writes the answers anew, to be read in review.  testdata/against_redis.py
// records those of a real server, to be compared with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/redis/database.hpp"
#include "sim/redis/scripts_lab.hpp"

namespace picklock {
namespace {

int hex_digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

// Words apart by blanks; "…" may hold blanks and \" \\ \xHH.
RedisCommand parse_command(std::string_view line) {
  RedisCommand command;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ') {
      ++i;
      continue;
    }
    std::string word;
    if (line[i] != '"') {
      for (; i < line.size() && line[i] != ' '; ++i) word += line[i];
    } else {
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] != '\\') {
          word += line[i];
        } else if (line[++i] == 'x') {
          word += static_cast<char>(hex_digit(line[i + 1]) * 16 + hex_digit(line[i + 2]));
          i += 2;
        } else {
          word += line[i];
        }
      }
      ++i;
    }
    command.add(word);
  }
  return command;
}

class Golden {
 public:
  std::string run(std::istream& in) {
    std::string line;
    while (std::getline(in, line)) {
      const auto prompt = line.find("> ");
      const bool command = prompt == 0 || (prompt == 1 && std::isalpha(line[0]));
      if (command) {
        out_ += line + "\n";
        execute(prompt == 0 ? 'a' : line[0], line.substr(prompt + 2));
      } else if (line.empty() || std::string_view("#%@+").find(line[0]) != std::string::npos || line == "---") {
        out_ += line + "\n";
        direct(line);
      }  // anything else is an answer, which is written anew
    }
    return std::move(out_);
  }

 private:
  void direct(const std::string& line) {
    std::istringstream words(line);
    std::string mark, what, name;
    words >> mark >> what >> name;
    if (mark == "@") now_ms_ = std::stoll(what);
    if (mark == "+") now_ms_ += std::stoll(what);
    if (mark == "---") {
      sessions_.clear();
      database_.clear();
    }
    if (mark != "%") return;
    if (what == "effects") effects_ = true;
    if (what == "notes") notes_ = true;
    if (what == "close") {
      database_.disconnect(session(name[0]));
      sessions_.erase(name[0]);
    }
    if (what == "script") {
      const RedisScript* script = database_.script(name);
      ASSERT_NE(script, nullptr) << name;
      std::string lua;
      std::getline(words >> std::ws, lua);
      EXPECT_EQ(lua, script->lua);
    }
  }

  RedisSession& session(char name) {
    return sessions_.try_emplace(name, static_cast<std::uint32_t>(name)).first->second;
  }

  void execute(char who, const std::string& text) {
    RedisOutputs out;
    const RedisCommand command = parse_command(text);
    out_ += database_.execute(session(who), command, now_ms_, out).to_string() + "\n";
    for (std::size_t i = 0; i < out.delivery_count(); ++i) {
      const auto delivery = out.delivery(i);
      RedisCommand parts;
      if (delivery.pattern) parts.add(*delivery.pattern);
      parts.add(delivery.channel);
      parts.add(delivery.message);
      ((out_ += '<') += static_cast<char>(delivery.session)) += ' ' + parts.to_string() + "\n";
    }
    if (effects_) {
      out.for_each_effect(EffectTarget::replica,
                          [this](const RedisCommandView& effect) { out_ += "~ " + effect.to_string() + "\n"; });
    }
    for (std::size_t i = 0; notes_ && i < out.note_count(); ++i) {
      const auto note = out.note(i);
      ((((out_ += "! ") += to_string(note.what)) += ' ') += note.key);
      if (note.expires_at_ms != kNoExpiry) out_ += " until " + std::to_string(note.expires_at_ms);
      out_ += '\n';
    }
  }

  RedisDatabase database_{redis_lab_scripts()};
  std::map<char, RedisSession> sessions_;
  std::int64_t now_ms_ = 0;
  bool effects_ = false;
  bool notes_ = false;
  std::string out_;
};

std::filesystem::path golden_directory() {
  if (const char* other = std::getenv("PICKLOCK_GOLDEN_DIR")) return other;
  return std::filesystem::path(PICKLOCK_SOURCE_DIR) / "sim/redis/testdata";
}

std::string first_difference(const std::string& expected, const std::string& actual) {
  std::istringstream a(expected), b(actual);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, x));
    const bool more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (x != y || more_a != more_b) {
      return "line " + std::to_string(line) + "\n  expected: " + x + "\n  actual:   " + y;
    }
  }
}

TEST(RedisGolden, ServerAnswersAsRecorded) {
  const bool rewrite = std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr;
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(golden_directory())) {
    if (file.path().extension() != ".txt") continue;
    ++files;
    std::ifstream in(file.path());
    std::stringstream content;
    content << in.rdbuf();
    const std::string actual = Golden().run(content);
    if (rewrite) {
      std::ofstream(file.path()) << actual;
    } else {
      EXPECT_TRUE(actual == content.str()) << file.path() << ": " << first_difference(content.str(), actual);
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace picklock
