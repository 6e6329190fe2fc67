// Values of a lock's head and options: in JSON, as a program tells them, and as heads of locks are read.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/lua/value.hpp"

namespace picklock {

nlohmann::json json_of(const LuaValue& value);
LuaValue value_of(const nlohmann::json& json);

}  // namespace picklock
