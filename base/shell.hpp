// Words of a command line, quoted so that a shell reads them back as they are.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// fault[0] becomes 'fault[0]'; a word that needs no quotes stays as it is.
std::string shell_word(std::string_view word);

}  // namespace picklock
