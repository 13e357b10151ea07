# CUDA C++ for the `.cu` files: C++20, like all other files. Machine code for sm_80, 90, 100 and 120, which serves all GPUs that
# LibTorch's wheel computes on from compute capability 8.0. The environment may name others in CUDAARCHS.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100-real 120-real)
endif()
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
# CMake 3.25 knows no option for C++20, so it is asked for behind the tests of the compiler.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)

# The kernels need nothing that GPUs have only since 9.0. So all machine code comes from one PTX, as the compilation to PTX
# takes as long as that of two kinds of GPU from it. The PTX is in the program as well: GPUs for which there is no machine
# code compile it in every process.
set(gausscse_least_compute_capability 80)
string(REGEX MATCHALL "[0-9]+[af]?" gpu_code "${CMAKE_CUDA_ARCHITECTURES}")
if(NOT gpu_code)
  message(FATAL_ERROR "CUDAARCHS (CMAKE_CUDA_ARCHITECTURES) is \"${CMAKE_CUDA_ARCHITECTURES}\": name GPUs by numbers, such as 90")
endif()
list(TRANSFORM gpu_code PREPEND "sm_")
list(JOIN gpu_code "," gpu_code)
set(CMAKE_CUDA_ARCHITECTURES OFF)

# For targets with `.cu` files. A kernel that uses local memory is an error: registers that do not fit and arrays that are
# indexed by a variable lie there, which is slow.
add_library(gausscse_cuda_settings INTERFACE)
target_include_directories(gausscse_cuda_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gausscse_cuda_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:--generate-code=arch=compute_${gausscse_least_compute_capability},code=[compute_${gausscse_least_compute_capability},${gpu_code}]>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--expt-relaxed-constexpr --extended-lambda --compress-mode=size>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${GAUSSCSE_WARNINGS_AS_ERRORS}>>:SHELL:-Werror all-warnings>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra -Xptxas=--warn-on-spills,--warn-on-local-memory-usage,--warning-as-error>")
