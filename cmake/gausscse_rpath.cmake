# Where programs and shared objects of the build, and the installed ones, look for libraries.
#
# CMake's own change of a RUNPATH at installation ends that of the build with ":". The loader takes the empty element behind
# it for the working folder, and would run any libz.so.1 that lies there. So the build has its RUNPATH as it is, and the
# installation sets another.

# gausscse_rpath(TARGET BUILD INSTALLED): both, as lists. Folders of libraries outside the project are added to BUILD.
function(gausscse_rpath target build installed)
  # INSTALLED is written over it and may not be longer, so it is part of it.
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON
                                             INSTALL_RPATH "${build};${installed}" GAUSSCSE_INSTALLED_RPATH "${installed}")
endfunction()

# gausscse_install_programs(TARGET... DEPENDENCIES SET [COMPONENT NAME [EXCLUDE_FROM_ALL]]): installs programs to bin and shared
# objects to lib/gausscse, with the RUNPATH of `gausscse_rpath`. What they ask for joins the set (RUNTIME_DEPENDENCY_SET).
function(gausscse_install_programs)
  cmake_parse_arguments(PARSE_ARGV 0 install "EXCLUDE_FROM_ALL" "COMPONENT;DEPENDENCIES" "")
  set(options "")
  if(install_COMPONENT)
    set(options COMPONENT ${install_COMPONENT})
  endif()
  if(install_EXCLUDE_FROM_ALL)
    list(APPEND options EXCLUDE_FROM_ALL)
  endif()
  install(TARGETS ${install_UNPARSED_ARGUMENTS} RUNTIME_DEPENDENCY_SET ${install_DEPENDENCIES}
          RUNTIME DESTINATION bin ${options} LIBRARY DESTINATION lib/gausscse ${options})
  foreach(target IN LISTS install_UNPARSED_ARGUMENTS)
    get_target_property(type ${target} TYPE)
    get_target_property(rpath ${target} GAUSSCSE_INSTALLED_RPATH)
    set(folder lib/gausscse)
    if(type STREQUAL EXECUTABLE)
      set(folder bin)
    endif()
    install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\"
  NEW_RPATH [[${rpath}]])" ${options})
  endforeach()
endfunction()
