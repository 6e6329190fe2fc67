# The interpreter that Redis embeds, as a target.
find_package(Lua 5.1 EXACT REQUIRED)
if(NOT TARGET picklock_lua51::lua)
  add_library(picklock_lua51::lua INTERFACE IMPORTED)
  set_target_properties(picklock_lua51::lua PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LUA_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LUA_LIBRARIES}")
endif()
