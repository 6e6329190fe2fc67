# libFuzzer programs (preset `fuzz`): every *_fuzz.cpp is one. See checker/fuzz/README.md.
set(libraries_script_fuzz picklock_sim)  # these need no helpers of tests, and are built sooner without
set(libraries_lua_lock_fuzz picklock_scenarios)
file(GLOB fuzzers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} */fuzz/*_fuzz.cpp */*/fuzz/*_fuzz.cpp)
foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  if(NOT DEFINED libraries_${name})
    set(libraries_${name} picklock_labs)
  endif()
  target_link_libraries(${name} PRIVATE ${libraries_${name}} picklock_private)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
