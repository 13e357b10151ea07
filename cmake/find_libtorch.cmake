# LibTorch as one imported target, gausscse::libtorch. TorchConfig.cmake is not used: that of a CUDA build insists on a
# CUDA toolkit even where only the CPU libraries are wanted.
# Also installed for other programs (gausscseConfig.cmake.in): gausscse_libtorch_of_build is then where LibTorch was when the
# library was built. Without a LibTorch libtorch_problem has the message, and there is no target.
set(libtorch_root "${LIBTORCH_ROOT}")
if(NOT libtorch_root AND DEFINED ENV{LIBTORCH_ROOT})
  set(libtorch_root "$ENV{LIBTORCH_ROOT}")
endif()
if(NOT libtorch_root AND DEFINED gausscse_libtorch_of_build)
  set(libtorch_root "${gausscse_libtorch_of_build}")
endif()
if(NOT libtorch_root)
  if(DEFINED ENV{GAUSSCSE_CACHE})
    set(libtorch_root "$ENV{GAUSSCSE_CACHE}/libtorch-2.11.0/torch")
  else()
    set(libtorch_root "$ENV{HOME}/.cache/gausscse/libtorch-2.11.0/torch")
  endif()
endif()
set(libtorch_problem "")
if(NOT EXISTS "${libtorch_root}/lib/libtorch_cpu.so")
  string(JOIN "" libtorch_problem "no LibTorch in ${libtorch_root} (lib/libtorch_cpu.so is missing): run scripts/setup.sh, "
                                  "or give -DLIBTORCH_ROOT=<folder with lib/ and include/>")
  return()
endif()
set(GAUSSCSE_LIBTORCH_ROOT "${libtorch_root}")
set(libtorch_version "")
if(EXISTS "${libtorch_root}/include/torch/headeronly/version.h")
  file(STRINGS "${libtorch_root}/include/torch/headeronly/version.h" libtorch_version
       REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
  list(TRANSFORM libtorch_version REPLACE ".* " "")
  string(JOIN "." libtorch_version ${libtorch_version})
endif()
message(STATUS "LibTorch: ${libtorch_root}")

# The OpenMP run time, gausscse::openmp. LibTorch's own where it carries one: two of them in a process would be two thread
# pools. clang's code asks for LLVM's, which has GNU's entry points too: linked before LibTorch, it serves both.
add_library(gausscse_openmp INTERFACE)
add_library(gausscse::openmp ALIAS gausscse_openmp)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(gausscse_openmp INTERFACE ${OpenMP_omp_LIBRARY})
else()
  file(GLOB libtorch_gomp "${libtorch_root}/lib/libgomp*.so*")
  if(NOT libtorch_gomp)
    set(libtorch_gomp gomp)
  endif()
  target_link_libraries(gausscse_openmp INTERFACE ${libtorch_gomp})
endif()

add_library(gausscse_libtorch INTERFACE)
add_library(gausscse::libtorch ALIAS gausscse_libtorch)
# -idirafter: the include folder carries a newer fmt, which must not shadow the system's under spdlog.
target_compile_options(gausscse_libtorch INTERFACE "SHELL:-idirafter ${libtorch_root}/include"
                       "SHELL:-idirafter ${libtorch_root}/include/torch/csrc/api/include")
# array-bounds: g++ 12 sees accesses past the end in inlined intrusive pointers that are not there.
target_compile_options(gausscse_libtorch INTERFACE -Wno-array-bounds)
target_compile_definitions(gausscse_libtorch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_options(gausscse_libtorch INTERFACE "LINKER:--allow-shlib-undefined" "LINKER:--no-as-needed")
target_link_libraries(gausscse_libtorch INTERFACE gausscse::openmp)
if(GAUSSCSE_CUDA)
  # Before the CPU's: CUDA's operators register themselves when their library is loaded.
  target_link_libraries(gausscse_libtorch INTERFACE "${libtorch_root}/lib/libtorch_cuda.so" "${libtorch_root}/lib/libc10_cuda.so")
endif()
target_link_libraries(gausscse_libtorch INTERFACE "${libtorch_root}/lib/libtorch_cpu.so" "${libtorch_root}/lib/libc10.so")

# For the few files that include CUDA's headers. All others are compiled as in a build for CPUs, whose objects the
# compiler cache has then.
add_library(gausscse_cuda_headers INTERFACE)
add_library(gausscse::cuda_headers ALIAS gausscse_cuda_headers)
if(GAUSSCSE_CUDA)
  target_include_directories(gausscse_cuda_headers SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
endif()
