# What scripts/gpu_checks.sh packs: the target gpu_checks builds it, `cmake --install ... --component gpu_checks` lays it
# out. bin/ has the program, the tests labelled gpu and the benchmark, lib/gausscse the shared objects that they ask for,
# without those of LibTorch, CUDA, the C and the C++ compiler, which a machine with LibTorch has.
get_property(gpu_tests GLOBAL PROPERTY gausscse_gpu_tests)
set(gpu_programs gausscse benchmark_kernels ${gpu_tests})
add_custom_target(gpu_checks DEPENDS ${gpu_programs})

if(TARGET gausscse_program)
  list(APPEND gpu_programs gausscse_program)
endif()
foreach(program IN ITEMS benchmark_kernels ${gpu_tests})
  gausscse_rpath(${program} "${PROJECT_BINARY_DIR}" "$ORIGIN/../lib/gausscse")
endforeach()
gausscse_install_programs(${gpu_programs} DEPENDENCIES gausscse_gpu_libraries COMPONENT gpu_checks EXCLUDE_FROM_ALL)
include(gausscse_gpu_checks_mpi)
install(RUNTIME_DEPENDENCY_SET gausscse_gpu_libraries
        PRE_EXCLUDE_REGEXES "^ld-linux" "^linux-vdso" "^lib(c|m|dl|rt|util|pthread|resolv|stdc\\+\\+|gcc_s)\\.so"
                            "^lib(torch|c10|gomp|nccl)" "^libcu(da|pti|blas|dnn|fft|file|rand|solver|sparse)" "^libnv"
        LIBRARY DESTINATION lib/gausscse COMPONENT gpu_checks EXCLUDE_FROM_ALL)

set(gpu_checks "${PROJECT_SOURCE_DIR}/benchmarks/gpu")
install(PROGRAMS ${gpu_checks}/run.sh DESTINATION . COMPONENT gpu_checks EXCLUDE_FROM_ALL)
install(DIRECTORY ${gpu_checks}/ DESTINATION . COMPONENT gpu_checks EXCLUDE_FROM_ALL FILES_MATCHING
        PATTERN "*.py" PATTERN "trial.yaml" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/golden DESTINATION tests COMPONENT gpu_checks EXCLUDE_FROM_ALL
        PATTERN "*.py" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
