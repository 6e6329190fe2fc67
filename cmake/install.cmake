# Installation: find_package(picklock), then picklock::scenarios and its like; or pkg-config picklock. `cpack` in the build
# folder makes Debian packages: picklock (component runtime) and libpicklock-dev (component dev).
include(CMakePackageConfigHelpers)
list(TRANSFORM PICKLOCK_LIBRARIES PREPEND picklock_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} EXPORT picklockTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/picklock COMPONENT dev)
install(EXPORT picklockTargets NAMESPACE picklock::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/picklock COMPONENT dev)
list(JOIN PICKLOCK_LIBRARIES ", " PICKLOCK_COMPONENTS)
configure_package_config_file(cmake/picklockConfig.cmake.in picklockConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/picklock)
write_basic_package_version_file(picklockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/lua51.cmake ${PROJECT_BINARY_DIR}/picklockConfig.cmake
  ${PROJECT_BINARY_DIR}/picklockConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/picklock COMPONENT dev)

# Static libraries that need each other: the linker looks through all of them again.
set(linked ${PICKLOCK_LIBRARIES})
list(TRANSFORM linked PREPEND -lpicklock_)
list(JOIN linked " " PICKLOCK_LINKED)
file(RELATIVE_PATH PICKLOCK_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PICKLOCK_PC_PREFIX "${PICKLOCK_PC_PREFIX}")  # two slashes would begin a comment in a macro
configure_file(cmake/picklock.pc.in picklock.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/picklock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

install(TARGETS picklock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY scenarios/library/ DESTINATION ${CMAKE_INSTALL_DATADIR}/picklock/scenarios COMPONENT runtime
  FILES_MATCHING PATTERN "*.toml")
# What programs that are locks get: the library of virtual time, and a package for each language.
install(DIRECTORY ${PROJECT_BINARY_DIR}/programs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/picklock/programs COMPONENT runtime)
# If scripts/playground has made it.
install(DIRECTORY build/playground/ DESTINATION ${CMAKE_INSTALL_DATADIR}/picklock/playground COMPONENT runtime OPTIONAL)
install(FILES CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# docs/README.md links to pages of other folders, which are installed too; the page of examples/ comes with the examples.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/README.md)
file(STRINGS docs/README.md rows REGEX "^\\| \\[")
foreach(row IN LISTS rows)
  string(REGEX MATCH "\\]\\(\\.\\./[^)]+" page "${row}")
  string(REPLACE "](../" "" page "${page}")
  if(page AND NOT page MATCHES "^examples/")
    cmake_path(GET page PARENT_PATH folder)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT runtime)
  endif()
endforeach()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT runtime FILES_MATCHING PATTERN "*.md"
  PATTERN "*.svg" PATTERN "*.schema.json")

# The manual page and the completions, as the program describes itself.
set(described "")
foreach(pair IN ITEMS "man:picklock.1" "bash:picklock" "zsh:_picklock" "fish:picklock.fish")
  string(REGEX MATCH "^([a-z]+):(.*)$" matched ${pair})
  set(file ${PROJECT_BINARY_DIR}/described/${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
  add_custom_command(OUTPUT ${file} DEPENDS picklock VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/described/${CMAKE_MATCH_1}
    COMMAND picklock describe ${CMAKE_MATCH_1} > ${file})
  list(APPEND described ${file})
endforeach()
if(NOT PICKLOCK_SANITIZE)
  add_custom_target(picklock_described ALL DEPENDS ${described})
endif()
set(described ${PROJECT_BINARY_DIR}/described)
install(FILES ${described}/man/picklock.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime OPTIONAL)
install(FILES ${described}/bash/picklock DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime
  OPTIONAL)
install(FILES ${described}/zsh/_picklock DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime OPTIONAL)
install(FILES ${described}/fish/picklock.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT runtime OPTIONAL)

# --- Debian packages
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME picklock)
set(CPACK_PACKAGE_CONTACT "The authors of picklock <picklock@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME picklock)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}\nThe command, its scenarios, manual page, completions and guide.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpicklock-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "picklock (= ${PROJECT_VERSION}), libfmt-dev, nlohmann-json3-dev, \
libtomlplusplus-dev, libcli11-dev, libboost-dev, librapidcheck-dev, zlib1g-dev, liblua5.1-0-dev, libsqlite3-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Libraries and headers of picklock\nFor a lock, a model or a service of your own, and for tests of locks.")
set(CPACK_STRIP_FILES ON)
include(CPack)
