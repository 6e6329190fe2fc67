// Messages between a client and the storage in words, for pictures.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// "write, computed from version 3, token 7", "refused: the token is too old"; empty for what is neither.
std::string words_of_storage_message(std::string_view body, bool answers);

}  // namespace picklock
