// The command described from its own tables: a manual page, and completions for shells.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock {

std::string manual_page(const CLI::App& app);  // man(7)
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace picklock
