# `cmake --install`, and the archive of `cmake --build --target package`: bin/gausscse finds LibTorch's shared objects in
# lib/gausscse beside it, so that the folder can be moved. MPI and the other libraries are the system's.
file(REAL_PATH "${GAUSSCSE_LIBTORCH_ROOT}" libtorch)
cmake_path(GET libtorch PARENT_PATH wheels)
# Paths as patterns: nothing in them but themselves.
foreach(variable IN ITEMS libtorch wheels)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" ${variable} "${${variable}}")
endforeach()

install(CODE "include(\"${CMAKE_CURRENT_LIST_DIR}/installed_files.cmake\")
foreach(folder IN ITEMS bin lib/gausscse share/man/man1 share/bash-completion/completions
                     share/zsh/site-functions share/fish/vendor_completions.d share/doc/gausscse/benchmarks share/doc/gausscse/experiments
                     share/doc/gausscse/licenses/arrow share/gausscse/slurm share/gausscse/modulefiles/gausscse)
  make_installed_folder(\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
endforeach()")
install(CODE "include(\"${CMAKE_CURRENT_LIST_DIR}/installed_files.cmake\")
foreach(folder IN ITEMS lib/gausscse share/doc/gausscse/licenses/libgomp share/doc/gausscse/licenses/libtorch)
  make_installed_folder(\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
endforeach()" COMPONENT libtorch)

set(program gausscse)
if(TARGET gausscse_parquet)
  list(APPEND program gausscse_parquet)
  file(REAL_PATH "${GAUSSCSE_ARROW_ROOT}" arrow)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" arrow "${arrow}")
else()
  set(arrow "$")  # matches no path
endif()
gausscse_install_programs(${program} DEPENDENCIES gausscse_libraries)
# The component "libtorch" is what the program without LibTorch does not ask for. Of the libraries that a part asks for, those of
# Arrow's folder, LibTorch's, and of the wheels that its wheel asks for are installed.
if(TARGET gausscse_program)
  gausscse_install_programs(gausscse_program DEPENDENCIES gausscse_libraries_of_libtorch COMPONENT libtorch)
else()
  gausscse_install_programs(gausscse DEPENDENCIES gausscse_libraries_of_libtorch COMPONENT libtorch)
endif()
foreach(part IN ITEMS "gausscse_libraries;Unspecified;^${arrow}/"
                      "gausscse_libraries_of_libtorch;libtorch;^${libtorch}/lib/;^${wheels}/nvidia/")
  list(POP_FRONT part libraries component)
  install(RUNTIME_DEPENDENCY_SET ${libraries}
          PRE_EXCLUDE_REGEXES "^ld-linux" "^linux-vdso"
          POST_INCLUDE_REGEXES ${part}
          POST_EXCLUDE_REGEXES ".*"
          LIBRARY DESTINATION lib/gausscse COMPONENT ${component})
endforeach()

set(gausscse_written_bash share/bash-completion/completions/gausscse)
set(gausscse_written_zsh share/zsh/site-functions/_gausscse)
set(gausscse_written_fish share/fish/vendor_completions.d/gausscse.fish)
set(gausscse_written_man share/man/man1/gausscse.1)
foreach(form IN ITEMS bash zsh fish man)
  set(file ${gausscse_written_${form}})
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:gausscse>\" completion ${form} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\" \"\${text}\")
  add_written_file(${file})")
endforeach()

install(PROGRAMS slurm/train.sbatch slurm/grid.sbatch DESTINATION share/gausscse/slurm)
install(PROGRAMS scripts/fetch_minilm.sh DESTINATION share/gausscse)
install(DIRECTORY docs/examples DESTINATION share/gausscse)
if(GAUSSCSE_STUDIES)
  install(DIRECTORY experiments/manifests DESTINATION share/gausscse)
endif()
# As in the tree, so that the links between pages hold.
install(DIRECTORY docs DESTINATION share/doc/gausscse)
install(DIRECTORY experiments/manifests DESTINATION share/doc/gausscse/experiments)
install(FILES benchmarks/README.md benchmarks/measured.md DESTINATION share/doc/gausscse/benchmarks)
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION share/doc/gausscse)
# Licences of the libraries in lib/gausscse: those of the wheels that they are from, and Debian's text for GCC's OpenMP
# library, which comes with LibTorch.
set(licenses share/doc/gausscse/licenses)
file(GLOB of_libtorch "${GAUSSCSE_LIBTORCH_ROOT}/../torch-*.dist-info/licenses/*" "${GAUSSCSE_LIBTORCH_ROOT}/LICENSE*")
install(FILES ${of_libtorch} DESTINATION ${licenses}/libtorch COMPONENT libtorch)
install(FILES /usr/share/doc/libgomp1/copyright DESTINATION ${licenses}/libgomp COMPONENT libtorch OPTIONAL)
install(FILES /usr/share/common-licenses/GPL-3 DESTINATION ${licenses}/libgomp COMPONENT libtorch OPTIONAL)
file(GLOB of_wheels "${GAUSSCSE_LIBTORCH_ROOT}/../nvidia_*.dist-info")
foreach(wheel IN LISTS of_wheels)
  cmake_path(GET wheel STEM LAST_ONLY name)
  install(DIRECTORY "${wheel}/licenses/" DESTINATION ${licenses}/${name} COMPONENT libtorch)
endforeach()
if(TARGET gausscse_parquet)
  file(GLOB of_arrow "${GAUSSCSE_ARROW_ROOT}/../pyarrow-*.dist-info/licenses/*")
  install(FILES ${of_arrow} DESTINATION ${licenses}/arrow)
endif()
if(GAUSSCSE_HAS_STATIC_HDF5)
  install(FILES /usr/share/doc/libhdf5-dev/copyright DESTINATION share/doc/gausscse RENAME LICENSE.hdf5 OPTIONAL)
endif()
install(FILES packaging/modulefile DESTINATION share/gausscse/modulefiles/gausscse RENAME ${PROJECT_VERSION})
install(PROGRAMS packaging/uninstall.sh DESTINATION share/gausscse)

include(gausscse_library)

# The last rule: it lists what all rules before it installed.
install(CODE "list_installed_files()")

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "the authors of gausscse")
string(TOLOWER "gausscse-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_VERBATIM_VARIABLES ON)
string(REPLACE gausscse- gausscse-inference- inference ${CPACK_PACKAGE_FILE_NAME})
include(CPack)

# The program for those who only use models: all of the installation but what needs LibTorch.
if(GAUSSCSE_TWO_PROGRAMS)
  add_custom_target(inference_archive
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${inference}
    COMMAND ${CMAKE_COMMAND} --install . --component Unspecified --prefix ${inference}
    COMMAND ${CMAKE_COMMAND} -E tar czf ${inference}.tar.gz ${inference}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${inference}
    DEPENDS gausscse
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}"
    COMMENT "Archive ${inference}.tar.gz"
    VERBATIM)
  if(TARGET gausscse_parquet)
    add_dependencies(inference_archive gausscse_parquet)
  endif()
endif()
