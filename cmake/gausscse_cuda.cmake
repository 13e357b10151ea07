# CUDA C++ for the `.cu` files: C++17, as CMake 3.25 knows none later. Machine code for sm_80, 90, 100 and 120, which serves
# all GPUs that LibTorch's wheel computes on from compute capability 8.0; later ones compile the last one's PTX in every
# process. The environment may name others in CUDAARCHS.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100-real 120)
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

# For targets with `.cu` files. A kernel that uses local memory is an error: registers that do not fit and arrays that are
# indexed by a variable lie there, which is slow.
add_library(gausscse_cuda_settings INTERFACE)
target_include_directories(gausscse_cuda_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gausscse_cuda_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--expt-relaxed-constexpr --extended-lambda>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GAUSSCSE_WARNINGS_AS_ERRORS}>>:SHELL:-Werror all-warnings>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra -Xptxas=--warn-on-spills,--warn-on-local-memory-usage,--warning-as-error>")
