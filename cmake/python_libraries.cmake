# The extension of the Python package takes HDF5 and yaml-cpp as static libraries where they can be linked into a shared object:
# Debian's shared HDF5 asks for 37 others. yaml-cpp throws exceptions, so both go with a static libstdc++. Else all of them are
# shared, and the extension serves the machine that built it. The rest, auditwheel puts into the wheel.
find_library(static_yaml NAMES libyaml-cpp.a)
mark_as_advanced(static_yaml)
set(python_link_options "LINKER:--wrap=stdout" "LINKER:--wrap=stderr" "LINKER:--wrap=__libc_single_threaded"
                        -static-libstdc++ -static-libgcc)
# All that the extension is linked with stays inside: another library of the process, such as PyTorch, may have functions of
# the same names.
set(python_hidden "LINKER:--version-script=${PROJECT_SOURCE_DIR}/python/exported.map")
if(GAUSSCSE_HAS_STATIC_HDF5 AND static_yaml)
  file(READ "${PROJECT_SOURCE_DIR}/python/c_library_data.c" wrapped)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_FLAGS -fPIC)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  set(CMAKE_REQUIRED_LINK_OPTIONS -shared ${python_hidden} ${python_link_options})
  set(CMAKE_REQUIRED_LIBRARIES ${static_hdf5} "${static_yaml}")
  check_cxx_source_compiles("extern \"C\" {
${wrapped}
}
#include <H5Cpp.h>
#include <yaml-cpp/yaml.h>
int main() { H5::H5File file(\"x.h5\", H5F_ACC_TRUNC); return YAML::Load(\"[]\").size(); }" GAUSSCSE_PYTHON_IS_STATIC)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_FLAGS)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(GAUSSCSE_PYTHON_IS_STATIC)
  get_target_property(configurations yaml-cpp IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_${configuration} "${static_yaml}")
  endforeach()
endif()
