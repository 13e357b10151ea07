# gausscse_load_libtorch_on_demand(TARGET SOURCE...): the program TARGET loads LibTorch when it calls it for the first
# time, instead of at its start. launcher/libtorch_on_demand.cpp, one of SOURCE, describes how. Call it after all libraries
# that TARGET links. A symbol that the linker then misses is data of LibTorch, such as a vtable: the program must not refer to it.
function(gausscse_load_libtorch_on_demand target)
  get_property(libraries GLOBAL PROPERTY gausscse_libraries)
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  get_target_property(libtorch gausscse_libtorch_cpu IMPORTED_LOCATION)
  set(script "${PROJECT_SOURCE_DIR}/cmake/list_libtorch_functions.sh")
  set(functions "${CMAKE_CURRENT_BINARY_DIR}/libtorch_functions.inc")
  add_custom_command(OUTPUT "${functions}"
                     COMMAND "${script}" "${CMAKE_NM}" "${libtorch}" "${functions}" ${files}
                     DEPENDS "${script}" "${libtorch}" ${libraries}
                     COMMENT "Functions of LibTorch"
                     VERBATIM)
  target_sources(${target} PRIVATE ${ARGN} "${functions}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES GAUSSCSE_LIBTORCH_ON_DEMAND ON)
endfunction()
