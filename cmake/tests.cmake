# Test programs: one for each library, and those of tests/, which cross folders.  All lie in <build>/tests.
find_package(GTest REQUIRED)
enable_testing()
picklock_prepare_tests()

set(shards_base 1)
set(shards_sim 6)
set(shards_algorithms 4)
set(shards_checker 4)
set(shards_scenarios 4)
set(shards_generators 2)
set(shards_reports 1)
set(shards_explain 1)
set(shards_hunt 1)
set(shards_testkit 1)
set(shards_envelope 1)
set(shards_estimate 2)
set(shards_store 1)
set(shards_ranks 1)
set(shards_playground 1)
set(shards_bridge 2)
# This one replaces operator new, to count the bytes of the heap.
list(REMOVE_ITEM picklock_tests_checker checker/io/streaming_test.cpp)
picklock_test_program(streaming_test 1 checker/io/streaming_test.cpp)
foreach(library IN LISTS PICKLOCK_LIBRARIES)
  if(NOT picklock_tests_${library})
    continue()
  endif()
  picklock_test_program(${library}_tests ${shards_${library}} ${picklock_tests_${library}})
  target_link_libraries(${library}_tests PRIVATE picklock::${library})
endforeach()

# Locks with a deliberate mistake each.
target_sources(testkit_tests PRIVATE tests/twin_locks.cpp tests/renewing_twins.cpp)

# The scripts' Lua text is run beside their bodies.
target_link_libraries(sim_tests PRIVATE picklock_lua51::lua)
target_link_libraries(algorithms_tests PRIVATE picklock_lua51::lua)
# Programs are checked as locks of a test suite.
target_link_libraries(bridge_tests PRIVATE picklock::testkit)

# --- tests of the house as a whole
# Every scenario of the library: verdicts, profiles, digests.
set(library_files tests/library_test.cpp tests/library_digests_test.cpp tests/exports_test.cpp tests/library_runs.cpp tests/verdict_profiles.cpp)
picklock_test_program(library_test 0 ${library_files})
picklock_run_shards(library_test library_test 1 --gtest_filter=-Scenarios/*)
picklock_run_shards(Scenarios library_test 6 --gtest_filter=Scenarios/*)
# Every lock in generated scenarios; scripts/soak runs it for longer.
set(generated_files tests/generated_test.cpp tests/twin_locks.cpp)
picklock_test_program(generated_test 4 ${generated_files})
target_link_libraries(generated_test PRIVATE picklock::generators)
# Types of the installed headers print themselves: one program includes them all.
picklock_test_program(printed_types_test 1 tests/printed_types/all_types_test.cpp)
target_link_libraries(printed_types_test PRIVATE picklock::testkit picklock::explain picklock::hunt picklock::estimate
  picklock::envelope picklock::store picklock::ranks picklock::reports)
# check_lock() in Catch2, version 2 or 3, where that is installed.
find_package(Catch2 QUIET)
if(Catch2_FOUND)
  add_executable(catch2_test tests/catch2/catch2_test.cpp tests/twin_locks.cpp)
  target_link_libraries(catch2_test PRIVATE picklock::testkit
    $<IF:$<TARGET_EXISTS:Catch2::Catch2WithMain>,Catch2::Catch2WithMain,Catch2::Catch2> picklock_private)
  set_target_properties(catch2_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME Catch2.ChecksLocksAndPrintsTypes COMMAND catch2_test)
else()
  add_test(NAME Catch2.ChecksLocksAndPrintsTypes
    COMMAND sh -c "echo 'skipped: Catch2 is not installed'; exit 77")
  set_tests_properties(Catch2.ChecksLocksAndPrintsTypes PROPERTIES SKIP_RETURN_CODE 77)
endif()
# What was measured on real servers, and what things cost; each writes a page of docs/.
file(GLOB live CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} tests/live/*.cpp)
picklock_test_program(live_test 2 ${live})
# A lock service of a program's own, through the seam of scenarios/services/.
picklock_test_program(toy_service_test 1 tests/toy_service/toy_service.cpp tests/toy_service/toy_service_test.cpp)
target_link_libraries(toy_service_test PRIVATE picklock::generators picklock::reports)
# Sources, pages, and the command as a user runs it.
file(GLOB house CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} tests/*.cpp)
list(REMOVE_ITEM house ${library_files} ${generated_files})
picklock_test_program(house_tests 4 ${house})
target_link_libraries(house_tests PRIVATE picklock::hunt nlohmann_json::nlohmann_json Boost::headers)
add_dependencies(house_tests picklock)
if(TARGET picklock-mpi)
  add_dependencies(house_tests picklock-mpi)
endif()
# One version of clang-format decides: that of scripts/packages.txt.
add_test(NAME Format.EveryFileIsAsClangFormatWritesIt COMMAND ${PROJECT_SOURCE_DIR}/tests/format_test.sh)

# The installed package serves a project of its own.  One compiler is enough for that.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT PICKLOCK_SANITIZE)
  add_test(NAME Consumer.BuildsAndRunsAgainstTheInstalledPackage
    COMMAND ${PROJECT_SOURCE_DIR}/tests/consumer_test.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  set_tests_properties(Consumer.BuildsAndRunsAgainstTheInstalledPackage PROPERTIES TIMEOUT 600)
  picklock_test_program(own_lock_page_test 1 tests/own_lock/own_lock_page_test.cpp)
  add_dependencies(own_lock_page_test picklock)
  # Both install this build.
  set_tests_properties(Consumer.BuildsAndRunsAgainstTheInstalledPackage own_lock_page_test.0
    PROPERTIES RESOURCE_LOCK installation)
endif()

# The reference of the headers has no warnings, where Doxygen is installed.
add_test(NAME Reference.HasNoWarnings
  COMMAND ${PROJECT_SOURCE_DIR}/tests/reference_test.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
set_tests_properties(Reference.HasNoWarnings PROPERTIES SKIP_RETURN_CODE 77)

# Programs that compare the checker's models with exhaustive search (scripts/check-models).
add_executable(checker_models_check checker/models/models_check.cpp)
add_executable(checker_search_check checker/search/general_models_check.cpp)
# Scripts in the simulated server, for scripts/compare-scripts.
add_executable(redis_script_server_check scenarios/services/redis/script_server_check.cpp)
foreach(program IN ITEMS checker_models_check checker_search_check redis_script_server_check)
  target_link_libraries(${program} PRIVATE picklock_labs picklock_private)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endforeach()

# Looks whether the zoo notices a search that forgets something (scripts/zoo-mutants builds it).
add_executable(hunt_search_mutants_check EXCLUDE_FROM_ALL instruments/hunt/search_mutants_check.cpp)
target_link_libraries(hunt_search_mutants_check PRIVATE picklock_labs picklock_hunt picklock_private)
target_compile_definitions(hunt_search_mutants_check PRIVATE PICKLOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
set_target_properties(hunt_search_mutants_check PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# Serves the simulated stores to a script that asks real servers the same (scripts/compare-stores).
add_executable(stores_check tests/stores/stores_check.cpp)
target_link_libraries(stores_check PRIVATE picklock::algorithms picklock::sim nlohmann_json::nlohmann_json picklock_private)
set_target_properties(stores_check PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
