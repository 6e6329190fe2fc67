// Files of the repository that are part of the program.
#pragma once

#include "base/embedded_file.hpp"

namespace picklock {

// The files of examples/own_lock, from which `picklock new lock` makes others.
std::span<const EmbeddedFile> embedded_own_lock();
// The Lua lock of examples/own_lock_lua.
std::span<const EmbeddedFile> embedded_own_lock_lua();
// The Lua lock of examples/mistaken_lock_lua, with a mistake to find.
std::span<const EmbeddedFile> embedded_mistaken_lock_lua();
// A program that is a lock: the files of examples/own_lock_python and examples/own_lock_node.
std::span<const EmbeddedFile> embedded_own_lock_python();
std::span<const EmbeddedFile> embedded_own_lock_node();
// The chapters of docs/guide, in their order.
std::span<const EmbeddedFile> embedded_guide();

}  // namespace picklock
