# Makes the libraries and test programs of the table of folders in docs/architecture.md.
#
#   picklock_read_rooms()       reads the table: PICKLOCK_LIBRARIES, and for each of them its sources, headers, tests,
#                               arrows and packages
#   picklock_add_library(NAME)  one library
#   picklock_test_program(NAME COUNT FILE…)  one program of tests

set(PICKLOCK_ARCHITECTURE ${PROJECT_SOURCE_DIR}/docs/architecture.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PICKLOCK_ARCHITECTURE})

# Packages of the column `uses`, as targets.
set(picklock_package_fmt fmt::fmt)
set(picklock_package_Boost Boost::headers)
set(picklock_package_nlohmann-json nlohmann_json::nlohmann_json)
set(picklock_package_zlib ZLIB::ZLIB)
set(picklock_package_toml++ "")  # its headers alone: CMakeLists.txt
set(picklock_package_threads Threads::Threads)
set(picklock_package_RapidCheck rapidcheck)
set(picklock_package_CLI11 CLI11::CLI11)
set(picklock_package_SQLite SQLite::SQLite3)
set(picklock_package_Lua picklock_lua51::lua)
set(picklock_public_packages fmt RapidCheck)  # the others are included by sources alone

# A file that lies in several folders of the table belongs to the longest.
function(picklock_room_of file out)
  set(best "")
  foreach(room IN LISTS picklock_rooms)
    string(FIND "${file}" "${room}/" at)
    string(LENGTH "${room}" length)
    string(LENGTH "${best}" best_length)
    if(at EQUAL 0 AND length GREATER best_length)
      set(best "${room}")
    endif()
  endforeach()
  set(${out} "${best}" PARENT_SCOPE)
endfunction()

macro(picklock_read_rooms)
  file(STRINGS ${PICKLOCK_ARCHITECTURE} rows ENCODING UTF-8 REGEX "^\\| `[^`]+/` \\|.*\\|.*\\|.*\\|.*\\|$")
  set(picklock_rooms "")
  set(PICKLOCK_LIBRARIES "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^\\| `([^`]+)/` \\| ([^|]+) \\|([^|]*)\\|([^|]*)\\|([^|]*)\\|$" matched "${row}")
    set(room ${CMAKE_MATCH_1})
    set(library ${CMAKE_MATCH_2})
    set(arrows ${CMAKE_MATCH_4})
    set(packages ${CMAKE_MATCH_5})
    list(APPEND picklock_rooms ${room})
    set(picklock_library_of_${room} ${library})
    if(NOT library IN_LIST PICKLOCK_LIBRARIES)
      list(APPEND PICKLOCK_LIBRARIES ${library})
      set(picklock_arrows_${library} "")
      set(picklock_packages_${library} "")
    endif()
    string(REGEX MATCHALL "`[^`]+`" arrows "${arrows}")
    foreach(arrow IN LISTS arrows)
      string(REPLACE "`" "" arrow ${arrow})
      if(NOT DEFINED picklock_library_of_${arrow})
        message(FATAL_ERROR "${PICKLOCK_ARCHITECTURE}: ${room} includes ${arrow}, which no earlier row names")
      endif()
      list(APPEND picklock_arrows_${library} ${picklock_library_of_${arrow}})
    endforeach()
    string(REGEX MATCHALL "[^, ]+" packages "${packages}")
    list(APPEND picklock_packages_${library} ${packages})
  endforeach()
  foreach(library IN LISTS PICKLOCK_LIBRARIES)
    list(REMOVE_DUPLICATES picklock_arrows_${library})
    list(REMOVE_ITEM picklock_arrows_${library} ${library})
    foreach(kind IN ITEMS sources headers tests labs)
      set(picklock_${kind}_${library} "")
    endforeach()
  endforeach()
  set(PICKLOCK_LABS "")

  set(tops ${picklock_rooms})
  list(TRANSFORM tops REPLACE "/.*" "")
  list(REMOVE_DUPLICATES tops)
  list(TRANSFORM tops APPEND "/*.?pp")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${tops})
  foreach(file IN LISTS files)
    picklock_room_of(${file} room)
    set(library "${picklock_library_of_${room}}")
    if(file MATCHES "_lab\\.[ch]pp$")
      list(APPEND PICKLOCK_LABS ${file})
    elseif(file MATCHES "_test\\.cpp$")
      list(APPEND picklock_tests_${library} ${file})
    elseif(file MATCHES "(_check|_fuzz)\\.cpp$|/wasi/" OR file MATCHES "^app/(mpi/)?program")
      # programs: CMakeLists.txt and cmake/playground.cmake name them
    elseif(file MATCHES "\\.cpp$")
      list(APPEND picklock_sources_${library} ${file})
    else()
      list(APPEND picklock_headers_${library} ${file})
    endif()
  endforeach()
endmacro()

include(cmake/together.cmake)

# What only our own build uses: the presets' warnings and sanitizers come through this private target, so that users of
# the installed package inherit none.
add_library(picklock_private INTERFACE)
set(PICKLOCK_WARNINGS "" CACHE STRING "Warning flags of our own targets (set by the presets)")
set(PICKLOCK_SANITIZE "" CACHE STRING "Sanitizers of our own targets, e.g. address,undefined")
target_include_directories(picklock_private INTERFACE ${PROJECT_SOURCE_DIR})
if(PICKLOCK_WARNINGS)
  target_compile_options(picklock_private INTERFACE ${PICKLOCK_WARNINGS})
endif()
if(PICKLOCK_SANITIZE)
  target_compile_options(picklock_private INTERFACE
    -fsanitize=${PICKLOCK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # clang 14 takes a coroutine's resume function for one of the wrong type.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(picklock_private INTERFACE -fno-sanitize=function)
  endif()
  target_link_options(picklock_private INTERFACE -fsanitize=${PICKLOCK_SANITIZE})
endif()
# Fuzzers see the coverage of all code, the precompiled headers' too.
if(PICKLOCK_BUILD_FUZZERS)
  target_compile_options(picklock_private INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Headers of the standard library and fmt, parsed once for all libraries.
add_library(picklock_std OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(picklock_std PRIVATE picklock_private fmt::fmt)
target_precompile_headers(picklock_std PRIVATE
  <fmt/format.h> <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
  <tuple> <unordered_map> <utility> <variant> <vector>)
# What runs once, and not in every event of a simulation, need not be optimised as much: that costs more than it saves.
set(picklock_cold picklock_testkit picklock_command picklock_explain picklock_generators picklock_reports)
set(PICKLOCK_COLD_FLAGS "" CACHE STRING "Compiler flags of these targets, after those of the build type")
function(picklock_precompiled target)
  if(target IN_LIST picklock_cold)
    target_compile_options(${target} PRIVATE ${PICKLOCK_COLD_FLAGS})
  elseif(PICKLOCK_UNITY)
    target_precompile_headers(${target} REUSE_FROM picklock_std)
  endif()
endfunction()

function(picklock_add_library name)
  set(target picklock_${name})
  add_library(${target} STATIC ${picklock_sources_${name}})
  add_library(picklock::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${picklock_headers_${name}})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:picklock_private>)
  foreach(arrow IN LISTS picklock_arrows_${name})
    target_link_libraries(${target} PUBLIC picklock::${arrow})
  endforeach()
  foreach(package IN LISTS picklock_packages_${name})
    if(package IN_LIST picklock_public_packages)
      target_link_libraries(${target} PUBLIC ${picklock_package_${package}})
    else()
      target_link_libraries(${target} PRIVATE ${picklock_package_${package}})
    endif()
  endforeach()
  picklock_together(${target})
  picklock_precompiled(${target})
endfunction()

# --- tests ------------------------------------------------------------------------------------------

# Most code of tests runs once: optimising it much costs more than it saves.
set(PICKLOCK_TEST_FLAGS "" CACHE STRING "Compiler flags of tests, after those of the build type (set by the presets)")

macro(picklock_prepare_tests)
  # Headers of the tests, parsed once for all of them, and what several of them share.
  add_library(picklock_gtest OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(picklock_gtest PRIVATE picklock_private GTest::gtest rapidcheck fmt::fmt)
  target_compile_options(picklock_gtest PRIVATE ${PICKLOCK_TEST_FLAGS})
  target_precompile_headers(picklock_gtest PRIVATE
    <gtest/gtest.h> <rapidcheck.h> <fmt/format.h> <functional> <map> <memory> <set> <string> <vector>)
endmacro()

# picklock_labs: the helpers of all tests, which benchmarks and fuzzers use as well.
function(picklock_add_labs)
  add_library(picklock_labs STATIC EXCLUDE_FROM_ALL)
  foreach(file IN LISTS PICKLOCK_LABS)
    if(file MATCHES "\\.cpp$")
      target_sources(picklock_labs PRIVATE ${file})
    endif()
  endforeach()
  target_link_libraries(picklock_labs PRIVATE picklock_private PUBLIC rapidcheck)
  target_link_libraries(picklock_labs PUBLIC picklock::scenarios)
  picklock_together(picklock_labs)
  picklock_precompiled(picklock_labs)
endfunction()

# picklock_run_shards(TEST PROGRAM COUNT [ARGUMENT…]): runs the program in COUNT processes, each with its share of the cases.
function(picklock_run_shards test program count)
  math(EXPR last "${count} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${test}.${shard} COMMAND ${program} --gtest_brief=1 ${ARGN})
    set_tests_properties(${test}.${shard} PROPERTIES TIMEOUT 900 ENVIRONMENT
      "RC_PARAMS=seed=20260101;GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# picklock_test_program(NAME COUNT FILE…): one program, run in COUNT processes; 0: picklock_run_shards() says how.
function(picklock_test_program name shards)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE picklock_private picklock_labs rapidcheck_gtest GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${PICKLOCK_TEST_FLAGS})
  # g++ 12 takes members of std::regex and std::optional for uninitialized.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  target_precompile_headers(${name} REUSE_FROM picklock_gtest)
  target_compile_definitions(${name} PRIVATE PICKLOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PICKLOCK_BUILD_DIR="${PROJECT_BINARY_DIR}" PICKLOCK_BINARY="$<TARGET_FILE:picklock>")
  picklock_together(${name})
  if(shards GREATER 0)
    picklock_run_shards(${name} ${name} ${shards})
  endif()
endfunction()
