# libFuzzer programs (preset `fuzz`): every *_fuzz.cpp is one. See checker/fuzz/README.md.
file(GLOB fuzzers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} checker/fuzz/*_fuzz.cpp scenarios/file/fuzz/*_fuzz.cpp)
foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE picklock_labs picklock_private)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
# Coverage of what is fuzzed, too; of the TOML parser's own code as well, not that of the system's library.
foreach(library IN LISTS PICKLOCK_LIBRARIES)
  target_compile_options(picklock_${library} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()
target_compile_definitions(picklock_scenarios PRIVATE TOML_HEADER_ONLY=1)
