# One folder, one library, one test program.
#
#   picklock_library(NAME sim_core SOURCES a.cpp HEADERS a.hpp DEPENDS picklock::sim_task fmt::fmt)
#   picklock_tests(NAME sim_core SOURCES a_test.cpp [DEPENDS rapidcheck])
#
# Both take ALONE and files, or ALL: see PICKLOCK_UNITY.

# What only our own build uses: warnings and sanitizers come from the presets' flags through this
# private target, so that consumers inherit none.
add_library(picklock_private INTERFACE)
set(PICKLOCK_WARNINGS "" CACHE STRING "Warning flags of our own targets (set by the presets)")
set(PICKLOCK_SANITIZE "" CACHE STRING "Sanitizers of our own targets, e.g. address,undefined")
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

# A build from nothing spends most of its time on headers: with this on, several files of a target are compiled as
# one.  Not so those behind ALONE, whose unnamed namespaces have names that their neighbours have as well.
option(PICKLOCK_UNITY "Compile several files of a target as one" OFF)
function(picklock_together target)
  if(NOT PICKLOCK_UNITY OR ARG_ALONE STREQUAL "ALL")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  # g++ takes the files for headers, and warns of what coroutines keep of an unnamed namespace.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(picklock_library)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;HEADERS;DEPENDS;PRIVATE_DEPENDS;PRECOMPILE;ALONE" ${ARGN})
  set(target picklock_${ARG_NAME})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:picklock_private>)
    if(ARG_PRECOMPILE)
      target_precompile_headers(${target} PRIVATE ${ARG_PRECOMPILE})
    endif()
    picklock_together(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(picklock::${ARG_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${ARG_NAME})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
    FILES ${ARG_HEADERS})
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
  if(ARG_PRIVATE_DEPENDS)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY PICKLOCK_LIBRARIES ${target})
endfunction()

function(picklock_tests)
  if(NOT PICKLOCK_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS;ALONE" ${ARGN})
  set(target ${ARG_NAME}_tests)
  add_executable(${target} ${ARG_SOURCES})
  picklock_together(${target})
  target_link_libraries(${target} PRIVATE picklock::${ARG_NAME} ${ARG_DEPENDS}
    picklock_private GTest::gtest GTest::gtest_main fmt::fmt)
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <fmt/format.h> <string> <vector>)
  target_compile_definitions(${target} PRIVATE PICKLOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES TIMEOUT 600
    ENVIRONMENT "RC_PARAMS=seed=20260101")
endfunction()
