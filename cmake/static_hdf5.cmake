# HDF5 as gausscse::hdf5. A program with the property GAUSSCSE_STATIC_HDF5 is linked with HDF5's static libraries, which
# GAUSSCSE_HAS_STATIC_HDF5 says are there: Debian's shared ones load 37 other libraries, which takes half of a short
# command's time. Static libraries are not compiled for shared objects: one with the property GAUSSCSE_HDF5_OF_PROGRAM takes the
# functions of the program that loads it, which exports them by gausscse_export_hdf5.
include(CheckCXXSourceCompiles)
set(static_hdf5 "")
foreach(name IN ITEMS hdf5_cpp hdf5)
  get_target_property(hdf5_file hdf5::${name} IMPORTED_LOCATION)
  cmake_path(REPLACE_EXTENSION hdf5_file LAST_ONLY .a)
  list(APPEND static_hdf5 "${hdf5_file}")
endforeach()
list(APPEND static_hdf5 -lsz ZLIB::ZLIB ${CMAKE_DL_LIBS} -lm)
set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LIBRARIES ${static_hdf5})
check_cxx_source_compiles("#include <H5Cpp.h>
int main() { H5::H5File file(\"x.h5\", H5F_ACC_TRUNC); }" GAUSSCSE_HAS_STATIC_HDF5)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)

add_library(gausscse_hdf5 INTERFACE)
add_library(gausscse::hdf5 ALIAS gausscse_hdf5)
set(is_static "$<BOOL:$<TARGET_PROPERTY:GAUSSCSE_STATIC_HDF5>>")
set(is_shared "$<NOT:$<OR:${is_static},$<BOOL:$<TARGET_PROPERTY:GAUSSCSE_HDF5_OF_PROGRAM>>>>")
foreach(library IN ITEMS hdf5::hdf5_cpp hdf5::hdf5)
  target_link_libraries(gausscse_hdf5 INTERFACE "$<${is_shared}:${library}>")
endforeach()
foreach(library IN LISTS static_hdf5)
  target_link_libraries(gausscse_hdf5 INTERFACE "$<${is_static}:${library}>")
endforeach()

# gausscse_export_hdf5(PROGRAM): a shared object that the program loads finds HDF5's functions, classes and data in it.
function(gausscse_export_hdf5 program)
  foreach(names IN ITEMS "H5*" "_ZN2H5*" "_ZNK2H5*" "_ZT?N2H5*" "_ZT[hv]*_N*2H5*")
    target_link_options(${program} PRIVATE "LINKER:--export-dynamic-symbol=${names}")
  endforeach()
endfunction()
