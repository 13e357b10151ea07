# NCCL as one imported target, gausscse::nccl: that of -DNCCL_ROOT or the environment's (the folder with include/ and
# lib/), that beside LibTorch's wheel, that of scripts/setup.sh --cuda, or the system's. LibTorch loads libnccl.so.2, too,
# and there is only one in a process: take the same version.
set(NCCL_ROOT "" CACHE PATH "Folder of NCCL: the one that holds include/nccl.h and lib/libnccl.so.2 (empty: look for it)")
set(nccl_cache "$ENV{HOME}/.cache/gausscse")
if(DEFINED ENV{GAUSSCSE_CACHE})
  set(nccl_cache "$ENV{GAUSSCSE_CACHE}")
endif()
set(nccl_roots "${NCCL_ROOT}" "$ENV{NCCL_ROOT}" "${GAUSSCSE_LIBTORCH_ROOT}/../nvidia/nccl"
    "${nccl_cache}/nccl-2.28.9/nvidia/nccl" /usr)
foreach(root IN LISTS nccl_roots)
  file(GLOB nccl_library "${root}/lib/libnccl.so.2" "${root}/lib/*-linux-gnu/libnccl.so.2")
  if(root AND nccl_library AND EXISTS "${root}/include/nccl.h")
    cmake_path(NORMAL_PATH root)
    set(nccl_root "${root}")
    list(GET nccl_library 0 nccl_library)
    break()
  endif()
endforeach()
if(NOT nccl_root)
  message(FATAL_ERROR "no NCCL (include/nccl.h and lib/libnccl.so.2) in ${nccl_roots}: run scripts/setup.sh --cuda, or "
                      "give -DNCCL_ROOT=<folder with include/ and lib/>")
endif()
message(STATUS "NCCL: ${nccl_root}")

add_library(gausscse_nccl INTERFACE)
add_library(gausscse::nccl ALIAS gausscse_nccl)
target_include_directories(gausscse_nccl SYSTEM INTERFACE "${nccl_root}/include")
target_link_libraries(gausscse_nccl INTERFACE gausscse::cuda_headers "${nccl_library}")
