# The simulator as one WebAssembly module: the path of a run, and app/playground/wasi/ around it (preset `wasi`).
#
# PICKLOCK_RUN_PATH is what the module is made of. architecture_test reads the list, and keeps exceptions, threads and
# file access out of these files.
set(PICKLOCK_RUN_PATH
  base/*.cpp statistics/intervals.cpp
  sim/lua/*.cpp
  sim/*.cpp
  algorithms/*.cpp
  faults/*.cpp
  checker/history.cpp checker/intern_table.cpp checker/names.cpp checker/value.cpp checker/verdict.cpp
  checker/graph/*.cpp
  checker/properties/*.cpp
  scenarios/recording/*.cpp
  scenarios/services/*.cpp
  scenarios/file/*.cpp
  scenarios/run/*.cpp
  scenarios/workloads/*.cpp
  campaigns/campaign.cpp campaigns/campaign_part.cpp campaigns/fault_summary.cpp campaigns/table_verdict.cpp
  reports/run/fold.cpp reports/run/idle_faults.cpp reports/run/lanes.cpp reports/run/messages.cpp
  reports/run/record_words.cpp reports/run/run_data.cpp reports/run/scene.cpp reports/run/story.cpp reports/run/timeline.cpp reports/untested.cpp reports/words.cpp
  instruments/explain/*.cpp
  app/playground/engine.cpp app/playground/settings.cpp
  app/playground/wasi/*.cpp)
# Files of these folders that a run does without.
set(PICKLOCK_NOT_ON_RUN_PATH
  base/files.cpp
  algorithms/lua/lua_files.cpp algorithms/lua/fuzz/.*
  scenarios/file/library_files.cpp scenarios/file/fuzz/.* scenarios/run/tale.cpp
  instruments/explain/json.cpp)

file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PICKLOCK_RUN_PATH})
list(FILTER files EXCLUDE REGEX "_(test|lab|check|fuzz)\\.cpp$")
foreach(pattern IN LISTS PICKLOCK_NOT_ON_RUN_PATH)
  list(FILTER files EXCLUDE REGEX "^${pattern}$")
endforeach()

# Headers of the libraries, and no others of the system.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
foreach(library IN ITEMS fmt nlohmann toml++ boost)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "/usr/include/${library} is missing: scripts/install-packages installs it")
  endif()
  file(CREATE_LINK /usr/include/${library} ${PROJECT_BINARY_DIR}/include/${library} SYMBOLIC)
endforeach()

# The library of scenarios as texts of the module.
file(GLOB scenarios CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} scenarios/library/*.toml)
include(cmake/embedded.cmake)
add_executable(picklock_wasm ${files})
include(cmake/playground_lua.cmake)
target_link_libraries(picklock_wasm PRIVATE picklock_lua)
picklock_embed(picklock_wasm scenarios ${scenarios})
file(GLOB locks CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} examples/lua/*.lua)
picklock_embed(picklock_wasm locks ${locks})
picklock_embed(picklock_wasm mistaken_lock_lua examples/mistaken_lock_lua/own_lock.lua)
set_target_properties(picklock_wasm PROPERTIES OUTPUT_NAME picklock SUFFIX .wasm)
target_include_directories(picklock_wasm PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(picklock_wasm SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/include)
target_compile_definitions(picklock_wasm PRIVATE FMT_HEADER_ONLY JSON_NOEXCEPTION JSON_HAS_FILESYSTEM=0
  JSON_HAS_EXPERIMENTAL_FILESYSTEM=0 TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0 BOOST_NO_EXCEPTIONS
  _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION)
# The preset leaves out -Wconversion, which a size_t of 32 bits would set off everywhere, and -Wunsequenced, which clang 16
# says of `co_await f(n++)`.
target_compile_options(picklock_wasm PRIVATE ${PICKLOCK_WARNINGS})
# The stack comes first, so that a deep recursion traps and overwrites nothing.
# With -O the driver would call wasm-opt where it is installed; the same module comes out everywhere without it.
target_link_options(picklock_wasm PRIVATE -O0 -Wl,-z,stack-size=4194304 -Wl,--stack-first -Wl,--max-memory=1073741824
  -Wl,--gc-sections -Wl,--strip-all -Wl,--export-table -Wl,--export=__stack_pointer)
picklock_together(picklock_wasm)
