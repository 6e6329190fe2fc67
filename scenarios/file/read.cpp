#include "scenarios/file/read.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/guard.hpp"
#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/reader.hpp"
#include "scenarios/file/syntax_error.hpp"
#include "scenarios/file/variants.hpp"

namespace picklock {
namespace {

std::string stem(std::string_view file_name) {
  file_name = file_name.substr(file_name.rfind('/') + 1);
  if (file_name.ends_with(".toml")) file_name.remove_suffix(5);
  return std::string(file_name);
}

// seed = 17: of the run that the file keeps.
std::optional<std::uint64_t> read_seed(const toml::table& table, FileComplaints& complaints) {
  const toml::node* const node = table.get("seed");
  if (node == nullptr) return std::nullopt;
  const auto* const seed = node->as_integer();
  if (seed != nullptr && seed->get() >= 0) return static_cast<std::uint64_t>(seed->get());
  complaints.complain(position_of(node->source()), describe(*node), "the seed of a run, an integer from 0 on");
  return std::nullopt;
}

}  // namespace

ScenarioError ScenarioFile::located(std::string_view path, std::string found, std::string expected,
                                    std::string nearest) const {
  const SourcePosition at = positions.of(path);
  if (at.line == 0) found = fmt::format("{}: {}", path, found);  // the file says nothing of it
  return {file, at.line, at.column, std::move(found), std::move(expected), std::move(nearest)};
}

ScenarioFile read_scenario(std::string_view text, std::string_view file_name) {
  ScenarioFile file;
  file.file = file_name;
  file.scenario.name = stem(file_name);
  if (auto error = unreadable(text, file_name)) {
    file.errors.push_back(std::move(*error));
    return file;
  }
  file.scenario.description = head_comment(text);
  const LuaFilesBeside beside(std::string(file_name.substr(0, file_name.rfind('/') + 1)));
  FileComplaints complaints(file);
  const toml::parse_result parsed = toml::parse(text, std::string_view(file_name));
  if (parsed) {
    const toml::table& root = parsed.table();
    ScenarioReader(file.scenario, complaints).read(root);
    fill_in_options(file.scenario);
    file.tags = read_tags(root, complaints);
    file.seed = read_seed(root, complaints);
    read_variants(root, text, file, complaints);
  } else {
    ScenarioError error = syntax_error(parsed.error().description(), position_of(parsed.error().source()));
    error.file = file_name;
    file.errors.push_back(std::move(error));
  }
  std::stable_sort(file.errors.begin(), file.errors.end(), [](const ScenarioError& a, const ScenarioError& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  if (complaints.count() > FileComplaints::kMost) {
    ScenarioError more;
    more.file = file_name;
    more.found = fmt::format("and {} errors more", complaints.count() - FileComplaints::kMost);
    file.errors.push_back(std::move(more));
  }
  return file;
}

}  // namespace picklock
