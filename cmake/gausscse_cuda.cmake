# CUDA C++ for the `.cu` files: C++17, as CMake 3.25 knows none later, for GPUs of the architectures sm_80 and sm_90, and by
# their driver for later ones; or for those that the environment names in CUDAARCHS.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
# Where the PATH has no nvcc of CUDA 13: the one that scripts/setup.sh --cuda installed.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(installed "$ENV{HOME}/.cache/gausscse")
  if(DEFINED ENV{GAUSSCSE_CACHE})
    set(installed "$ENV{GAUSSCSE_CACHE}")
  endif()
  set(installed "${installed}/cuda-13.0/nvidia/cu13/bin/nvcc")
  if(EXISTS "${installed}")
    set(CMAKE_CUDA_COMPILER "${installed}")
  endif()
endif()
enable_language(CUDA)

# For targets with `.cu` files. Registers that do not fit into a GPU's are an error: a kernel is slow then.
add_library(gausscse_cuda_settings INTERFACE)
target_include_directories(gausscse_cuda_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gausscse_cuda_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--expt-relaxed-constexpr --extended-lambda>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GAUSSCSE_WARNINGS_AS_ERRORS}>>:SHELL:-Werror all-warnings>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra -Xptxas=--warn-on-spills,--warning-as-error>")
