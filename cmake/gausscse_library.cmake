# `cmake --install BUILD --component development --prefix FOLDER`: inference/ and the training of heads as a library of
# other programs, with its headers and the files of find_package(gausscse) (docs/library.md). Other installations do not have these files.
if(GAUSSCSE_CUDA OR GAUSSCSE_SANITIZE)
  install(CODE "message(FATAL_ERROR \"the library is installed from a build for CPUs, such as the preset cpu\")"
          COMPONENT development EXCLUDE_FROM_ALL)
  return()
endif()

# One archive of gausscse_training and of every library of ours below it, all of inference/ among them.
set(objects "")
set(pending gausscse_training)
set(seen "")
while(NOT pending STREQUAL "")
  list(POP_FRONT pending library)
  if(NOT TARGET ${library} OR library IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${library})
  get_target_property(type ${library} TYPE)
  get_target_property(imported ${library} IMPORTED)
  if(type STREQUAL STATIC_LIBRARY AND NOT imported)
    get_target_property(object_libraries ${library} gausscse_object_libraries)
    if(NOT object_libraries)
      set(object_libraries "")
    endif()
    foreach(part IN LISTS library object_libraries)
      list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    get_target_property(below ${library} LINK_LIBRARIES)
    if(below)
      list(APPEND pending ${below})
    endif()
  endif()
endwhile()
add_library(gausscse_archive STATIC ${objects})
set_target_properties(gausscse_archive PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME gausscse
                                                  ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
install(TARGETS gausscse_archive ARCHIVE DESTINATION lib COMPONENT development EXCLUDE_FROM_ALL)

set(package lib/cmake/gausscse)
include(CMakePackageConfigHelpers)
configure_file("${CMAKE_CURRENT_LIST_DIR}/gausscseConfig.cmake.in" gausscseConfig.cmake @ONLY)
write_basic_package_version_file(gausscseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gausscseConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/gausscseConfigVersion.cmake"
              cmake/find_libtorch.cmake cmake/inference_dependencies.cmake
        DESTINATION ${package} COMPONENT development EXCLUDE_FROM_ALL)
install(CODE "include(\"${CMAKE_CURRENT_LIST_DIR}/installed_headers.cmake\")
install_headers(\"${PROJECT_SOURCE_DIR}\" include/gausscse inference model/folder/vector_head.hpp training/fit_head.hpp)"
        COMPONENT development EXCLUDE_FROM_ALL)
