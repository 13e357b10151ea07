# cuBLASLt as one imported target, gausscse::cublaslt: that of -DCUBLAS_ROOT or the environment's (the folder with include/
# and lib/), that beside nvcc or LibTorch's wheel, or that of scripts/setup.sh --cuda. LibTorch loads libcublasLt.so.13, too,
# and there is only one in a process: take the same version.
set(CUBLAS_ROOT "" CACHE PATH
    "Folder of cuBLAS: the one that holds include/cublasLt.h and lib/libcublasLt.so.13 (empty: look for it)")
set(cublas_cache "$ENV{HOME}/.cache/gausscse")
if(DEFINED ENV{GAUSSCSE_CACHE})
  set(cublas_cache "$ENV{GAUSSCSE_CACHE}")
endif()
set(cublas_roots "${CUBLAS_ROOT}" "$ENV{CUBLAS_ROOT}")
foreach(include IN LISTS CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES)
  cmake_path(GET include PARENT_PATH root)
  list(APPEND cublas_roots "${root}")
endforeach()
list(APPEND cublas_roots "${GAUSSCSE_LIBTORCH_ROOT}/../nvidia/cu13" "${cublas_cache}/cublas-13.1.0.3/nvidia/cu13")
foreach(root IN LISTS cublas_roots)
  file(GLOB cublaslt_library "${root}/lib*/libcublasLt.so.13")
  if(root AND cublaslt_library AND EXISTS "${root}/include/cublasLt.h")
    cmake_path(NORMAL_PATH root)
    set(cublas_root "${root}")
    list(GET cublaslt_library 0 cublaslt_library)
    break()
  endif()
endforeach()
if(NOT cublas_root)
  message(FATAL_ERROR "no cuBLASLt (include/cublasLt.h and lib/libcublasLt.so.13) in ${cublas_roots}: run "
                      "scripts/setup.sh --cuda, or give -DCUBLAS_ROOT=<folder with include/ and lib/>")
endif()
message(STATUS "cuBLASLt: ${cublas_root}")

add_library(gausscse_cublaslt INTERFACE)
add_library(gausscse::cublaslt ALIAS gausscse_cublaslt)
target_include_directories(gausscse_cublaslt SYSTEM INTERFACE "${cublas_root}/include")
target_link_libraries(gausscse_cublaslt INTERFACE gausscse::cuda_headers "${cublaslt_library}")
