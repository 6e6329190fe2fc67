#include "tests/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <sstream>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace {

namespace fs = std::filesystem;

// Its lines outside of blocks of code.
std::vector<std::string> prose(const std::string& page) {
  std::vector<std::string> lines;
  std::istringstream in(page);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      code = !code;
    } else if (!code) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace

std::vector<fs::path> all_pages() {
  std::vector<fs::path> pages;
  for (auto entry = fs::recursive_directory_iterator(PICKLOCK_SOURCE_DIR); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename();
    if (entry->is_directory() && (name.starts_with("build") || name.starts_with('.')))
      entry.disable_recursion_pending();
    if (entry->is_regular_file() && entry->path().extension() == ".md") pages.push_back(entry->path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<Link> links_of(const std::string& page) {
  static const std::regex kLink(R"(\[([^\]]*)\]\(([^)\s]+)\))");
  std::vector<Link> links;
  for (const std::string& line : prose(page)) {
    for (std::sregex_iterator i(line.begin(), line.end(), kLink); i != std::sregex_iterator(); ++i) {
      const auto ticks = std::count(line.begin(), line.begin() + i->position(), '`');
      if (ticks % 2 == 0) links.push_back({(*i)[1], (*i)[2]});
    }
  }
  return links;
}

std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  for (const std::string& line : prose(page)) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == line.npos || line[level] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(level + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80)
        anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

std::vector<std::string> dead_links(const std::string& page, const fs::path& path) {
  std::vector<std::string> dead;
  for (const Link& link : links_of(page)) {
    if (link.target.find("://") != std::string::npos || link.target.starts_with("mailto:")) continue;
    const std::size_t hash = link.target.find('#');
    const std::string file = link.target.substr(0, hash);
    const fs::path target = file.empty() ? path : path.parent_path() / file;
    if (!file.empty() && !fs::exists(target)) {
      dead.push_back(link.target + ": there is no such file");
    } else if (hash != std::string::npos && target.extension() == ".md" &&
               anchors_of(file.empty() ? page : content(target)).count(link.target.substr(hash + 1)) == 0) {
      dead.push_back(link.target + ": there is no such heading");
    }
  }
  return dead;
}

}  // namespace picklock::testing
