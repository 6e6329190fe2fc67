// testkit/printed_fields.hpp and tests/printed_types/types.inc name every type of the installed headers, with its members.
//
// PICKLOCK_REWRITE_GOLDEN=1 writes both anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {
namespace printed_types_test {

namespace fs = std::filesystem;

// Headers whose values a test of a lock or of a history may compare.  Not among them: the inside of the simulator, of searches
// and of readers.
constexpr const char* kFolders[] = {"base",
                                    "sim/task",
                                    "algorithms",
                                    "checker",
                                    "checker/properties",
                                    "checker/io",
                                    "faults",
                                    "recording",
                                    "services",
                                    "services/redis",
                                    "services/etcd",
                                    "services/zookeeper",
                                    "scenarios/file",
                                    "scenarios/run",
                                    "scenarios/workloads",
                                    "scenarios/campaign",
                                    "generators",
                                    "explain",
                                    "hunt",
                                    "estimate",
                                    "envelope",
                                    "store",
                                    "ranks",
                                    "reports",
                                    "lua",
                                    "testkit"};

// Headers of other folders whose structs are members of these.
constexpr const char* kHeaders[] = {"checker/graph/event_graph.hpp", "checker/graph/precedence.hpp",
                                    "sim/core/draws.hpp", "sim/core/world.hpp"};

std::string without_comments(const std::string& text) {
  std::stringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find("//"));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

std::size_t closing(std::string_view text, std::size_t at, char open, char close) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
    if (depth == 0) return at;
  }
  return text.size();
}

// The members that a statement of a type's body declares; none: it declares something else.
std::vector<std::string> members_of(std::string statement) {
  static const std::regex kOther(
      R"(^\s*(__extension__|static|using|friend|template|struct|class|enum|union|explicit|virtual|constexpr)\b[^]*)");
  const std::string head = statement.substr(0, statement.find_first_of("={"));
  if (std::regex_match(statement, kOther) || head.find('(') != head.npos || head.find("operator") != head.npos)
    return {};
  std::vector<std::string> names, parts(1);
  int angles = 0;
  bool initial = false;
  for (const char c : statement) {
    initial = initial || c == '=';
    if (!initial) angles += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && angles == 0) {
      parts.emplace_back();
      initial = false;
    } else {
      parts.back() += c;
    }
  }
  for (std::string part : parts) {
    part = part.substr(0, part.find_first_of("={["));
    while (!part.empty() && std::isspace(static_cast<unsigned char>(part.back())) != 0) part.pop_back();
    std::size_t begin = part.size();
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(part[begin - 1])) != 0 || part[begin - 1] == '_'))
      --begin;
    if (begin < part.size()) names.push_back(part.substr(begin));
  }
  return names;
}

std::vector<std::string> members_in(std::string_view body) {
  static const std::regex kType(R"(^\s*(struct|class|enum|union)\b[^]*)");
  std::vector<std::string> names;
  std::string statement;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '{') {
      i = closing(body, i, '{', '}');
      const bool function = statement.find('(') < statement.find('=') && !std::regex_match(statement, kType);
      statement = function ? "" : statement + "{}";
    } else if (body[i] == '(') {
      i = closing(body, i, '(', ')');
      statement += "()";
    } else if (body[i] == ';') {
      for (std::string& name : members_of(statement)) names.push_back(std::move(name));
      statement.clear();
    } else {
      statement += body[i];
    }
  }
  return names;
}

struct Types {
  std::map<std::string, std::vector<std::string>> structs;  // and their members, in order
  std::set<std::string> enums, headers;
};

bool shows_itself(const std::string& body) {
  return body.find("void fields(FieldVisitor&") != body.npos || body.find("private:") != body.npos;
}

// Structs within a struct, by their full names.
void collect_inner(const std::string& outer, const std::string& body, Types& types) {
  static const std::regex kInner(R"(\n  struct (\w+) \{)");
  for (std::sregex_iterator i(body.begin(), body.end(), kInner), end; i != end; ++i) {
    const auto open = static_cast<std::size_t>(i->position() + i->length()) - 1;
    const std::string inner = body.substr(open + 1, closing(body, open, '{', '}') - open - 1);
    if (!shows_itself(inner)) types.structs[outer + "::" + (*i)[1].str()] = members_in(inner);
  }
}

void collect(const std::string& text, const std::string& file, Types& types) {
  static const std::regex kStruct(R"((^|\n)([^\n]*)\nstruct (\w+)(?: final)? \{\n)");
  static const std::regex kEnum(R"(\nenum class (\w+))");
  std::size_t found_before = types.structs.size() + types.enums.size();
  for (std::sregex_iterator i(text.begin(), text.end(), kStruct), end; i != end; ++i) {
    if ((*i)[2].str().starts_with("template")) continue;
    const auto open = static_cast<std::size_t>(i->position() + i->length()) - 2;
    const std::string body = text.substr(open + 1, closing(text, open, '{', '}') - open - 1);
    if (shows_itself(body)) continue;
    types.structs[(*i)[3]] = members_in(body);
    collect_inner((*i)[3], '\n' + body, types);
  }
  for (std::sregex_iterator i(text.begin(), text.end(), kEnum), end; i != end; ++i) types.enums.insert((*i)[1]);
  if (types.structs.size() + types.enums.size() > found_before) types.headers.insert(file);
}

std::string text_of(const std::string& header) {
  std::stringstream text;
  text << std::ifstream(fs::path(PICKLOCK_SOURCE_DIR) / header).rdbuf();
  return without_comments(text.str());
}

Types read_types() {
  Types types;
  for (const char* folder : kFolders) {
    for (const auto& entry : fs::directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / folder)) {
      const std::string file = fs::relative(entry.path(), PICKLOCK_SOURCE_DIR).string();
      const bool apart = file.ends_with("_lab.hpp") || file.starts_with("testkit/catch2") ||
                         file == "testkit/printed_fields.hpp" || file == "testkit/print.hpp" ||
                         file == "base/threads.hpp";
      if (!file.ends_with(".hpp") || apart) continue;
      collect(text_of(file), file, types);
    }
  }
  for (const char* file : kHeaders) collect(text_of(file), file, types);
  return types;
}

std::string fields_header(const Types& types) {
  std::string text =
      "// Names of the members of picklock's types, for testkit/print.hpp.  tests/printed_types_test.cpp writes this "
      "file.\n"
      "#pragma once\n\n#include \"testkit/type_name.hpp\"\n\n// clang-format off\nnamespace picklock {\n\n"
      "template <class T>\nstruct FieldsOf;  // kAre: its members are known\n\n";
  const auto is_inner = [](const std::string& name) { return name.find("::") != name.npos; };
  for (const auto& [name, members] : types.structs) text += is_inner(name) ? "" : "struct " + name + ";\n";
  text += '\n';
  for (const auto& [name, members] : types.structs) {
    // A struct within another cannot be declared before that one is known: it is told by its name.
    text += is_inner(name) ? "template <class T> requires (printing::kFullName<T> == \"picklock::" + name +
                                 "\") struct FieldsOf<T> {\n"
                           : "template <> struct FieldsOf<" + name + "> {\n";
    text += "  static constexpr bool kAre = true;\n";
    text += members.empty() ? "  static void each(const auto&, auto&&) {}\n"
                            : "  static void each(const auto& x, auto&& v) {\n";
    for (const std::string& member : members) text += "    v(\"" + member + "\", x." + member + ");\n";
    text += members.empty() ? "};\n" : "  }\n};\n";
  }
  return text + "\n}  // namespace picklock\n";
}

std::string list_of_types(const Types& types) {
  std::string text =
      "// Every struct and enumeration of the installed headers.  tests/printed_types_test.cpp writes this file.\n";
  text += "#ifdef INCLUDES\n";
  for (const std::string& header : types.headers) text += "#include \"" + header + "\"\n";
  text += "#else\n";
  for (const auto& [name, members] : types.structs) text += "TYPE(" + name + ")\n";
  for (const std::string& name : types.enums) text += "ENUM(" + name + ")\n";
  return text + "#endif\n";
}

void compare(const char* file, const std::string& expected) {
  const std::string path = std::string(PICKLOCK_SOURCE_DIR) + "/" + file;
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << expected;
  }
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_TRUE(found.str() == expected) << file
                                       << " is not what the headers say: PICKLOCK_REWRITE_GOLDEN=1 writes it anew";
}

TEST(PrintedTypes, AreThoseOfTheHeaders) {
  const Types types = read_types();
  EXPECT_GT(types.structs.size(), 150u);
  EXPECT_GT(types.enums.size(), 50u);
  compare("testkit/printed_fields.hpp", fields_header(types));
  compare("tests/printed_types/types.inc", list_of_types(types));
}

TEST(PrintedTypes, MembersAreRead) {
  const std::string text =
      "\nstruct A {\n  int a = f(1, 2), b{3};\n  std::map<int, long> c;\n  int g() const { return a; }\n"
      "  struct Inner {\n    int no = 0;\n  };\n  bool operator==(const A&) const = default;\n"
      "  static int s;\n  std::array<int, 3> d{1, 2, 3};\n};\n\ntemplate <class T>\nstruct B {\n  T t;\n};\n";
  Types types;
  collect(text, "a.hpp", types);
  ASSERT_EQ(types.structs.size(), 2u);
  EXPECT_EQ(types.structs["A"], (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(types.structs["A::Inner"], (std::vector<std::string>{"no"}));
}

}  // namespace printed_types_test
}  // namespace picklock
