# The checker on mutex histories: readers, models, and whole files.
find_package(benchmark REQUIRED)
add_executable(checker_bench ${CMAKE_CURRENT_LIST_DIR}/checker_bench.cpp)
target_link_libraries(checker_bench PRIVATE picklock::checker_models picklock_private
  benchmark::benchmark fmt::fmt)
