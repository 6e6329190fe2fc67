# libFuzzer programs (preset `fuzz`): every *_fuzz.cpp is one. See checker/fuzz/README.md.
file(GLOB fuzzers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} */fuzz/*_fuzz.cpp */*/fuzz/*_fuzz.cpp)
foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE picklock_labs picklock_private)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
