// The comment at the head of a scenario's file: its story, with a drawing.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// The first lines of the file that begin with '#', each without its "# ".
std::string head_comment(std::string_view text);

// The lines as such a comment, and an empty line; empty input gives empty output.
std::string to_head_comment(std::string_view description);

}  // namespace picklock
