# Lua for the module of the playground. The native build has Lua 5.1, which Redis embeds. Debian has the sources of 5.2 alone,
# in librust-lua52-sys-dev: they are compiled so that texts find what 5.1 has (sim/lua/interface.hpp), in the same order of pairs().
set(PICKLOCK_LUA_SOURCES "" CACHE PATH "Folder of the C sources of Lua 5.2; empty: that of librust-lua52-sys-dev")
set(from ${PICKLOCK_LUA_SOURCES})
if(NOT from)
  file(GLOB from /usr/share/cargo/registry/lua52-sys-*/lua/src)
endif()
if(NOT EXISTS "${from}/lapi.c")
  message(FATAL_ERROR "the sources of Lua 5.2 are missing: install librust-lua52-sys-dev")
endif()
set(to ${PROJECT_BINARY_DIR}/lua)
file(COPY ${from}/ DESTINATION ${to} PATTERN lstate.c EXCLUDE PATTERN luaconf.h EXCLUDE)

# picklock_change_lua(FILE BEFORE AFTER): in the copy, once.
function(picklock_change_lua file before after)
  file(READ ${from}/${file} text)
  string(FIND "${text}" "${before}" first)
  string(FIND "${text}" "${before}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${from}/${file} does not have \"${before}\" once: another release of Lua")
  endif()
  string(REPLACE "${before}" "${after}" text "${text}")
  file(WRITE ${to}/${file}.new "${text}")
  file(COPY_FILE ${to}/${file}.new ${to}/${file} ONLY_IF_DIFFERENT)
endfunction()
picklock_change_lua(lstate.c "makeseed(L)" "0")               # the hash of a text follows from the text alone
picklock_change_lua(luaconf.h "#define LUA_INTEGER	ptrdiff_t" "#define LUA_INTEGER	long long")  # as wide as natively

enable_language(C)
set(files "")
foreach(part IN ITEMS lapi lauxlib lbaselib lcode lcorolib lctype ldebug ldo ldump lfunc lgc llex lmathlib lmem lobject lopcodes
    lparser lstate lstring lstrlib ltable ltablib ltm lundump lvm lzio)
  list(APPEND files ${to}/${part}.c)
endforeach()
add_library(picklock_lua OBJECT ${files} app/playground/wasi/lua/no_files.c)
target_include_directories(picklock_lua PRIVATE ${PROJECT_SOURCE_DIR}/app/playground/wasi/lua)
target_include_directories(picklock_lua SYSTEM INTERFACE ${to})
target_compile_definitions(picklock_lua PUBLIC LUA_COMPAT_ALL LUA_USE_LONGLONG)
# Without LUA_ANSI numbers would be rounded where 5.1 cuts them off, and hashed otherwise.
target_compile_definitions(picklock_lua PRIVATE LUA_ANSI)
target_compile_options(picklock_lua PRIVATE -include ${PROJECT_SOURCE_DIR}/app/playground/wasi/lua/errors.h)
