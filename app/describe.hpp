// The command described from its own tables.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock {

std::string manual_page(const CLI::App& app);  // man(7)

}  // namespace picklock
