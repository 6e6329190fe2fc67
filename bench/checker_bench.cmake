# The checker on mutex histories: readers, models, and whole files.
find_package(benchmark REQUIRED)
add_executable(checker_bench ${CMAKE_CURRENT_LIST_DIR}/checker_bench.cpp)
target_link_libraries(checker_bench PRIVATE picklock::checker_models picklock_private
  benchmark::benchmark fmt::fmt)

# Growth of every lock model from 10^3 to 10^7 operations.
add_executable(checker_growth_bench ${CMAKE_CURRENT_LIST_DIR}/checker_growth_bench.cpp)
target_link_libraries(checker_growth_bench PRIVATE picklock::checker_models picklock_private fmt::fmt)
