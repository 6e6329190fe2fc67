# The reference of the installed headers, by Doxygen where that is installed.  Installation and packages bring it along;
# `cmake --build build/release --target reference` writes it alone, to build/release/reference/html.
find_program(PICKLOCK_DOXYGEN doxygen)
set(PICKLOCK_REFERENCE ${PROJECT_BINARY_DIR}/reference)
set(headers cmake/reference/first_page.md)
foreach(library IN LISTS PICKLOCK_LIBRARIES)
  list(APPEND headers ${picklock_headers_${library}})
endforeach()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
list(JOIN headers " \\\n                         " PICKLOCK_REFERENCE_INPUT)
configure_file(cmake/reference/Doxyfile.in ${PICKLOCK_REFERENCE}/Doxyfile @ONLY)

if(PICKLOCK_DOXYGEN)
  set(files ${headers} ${PROJECT_SOURCE_DIR}/cmake/reference/comments.awk ${PICKLOCK_REFERENCE}/Doxyfile)
  list(JOIN files "\n  " PICKLOCK_REFERENCE_FILES)
  configure_file(cmake/reference/write.cmake.in ${PICKLOCK_REFERENCE}/write.cmake @ONLY)
  add_custom_target(reference COMMAND ${CMAKE_COMMAND} -P ${PICKLOCK_REFERENCE}/write.cmake VERBATIM
    COMMENT "Writing the reference of the headers")
  install(SCRIPT ${PICKLOCK_REFERENCE}/write.cmake COMPONENT dev)
else()
  file(WRITE ${PICKLOCK_REFERENCE}/html/index.html "<!DOCTYPE html>\n<title>picklock: reference of the headers</title>\n\
<p>Doxygen was missing when picklock was built. Where it is installed, <code>cmake --build build/release --target reference</code>\
 in the source tree writes the reference, and packages have it.</p>\n")
endif()
install(DIRECTORY ${PICKLOCK_REFERENCE}/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/reference COMPONENT dev)
