# As gausscse_join_files. A local name may be that of another file's constant or function. As a library's, the options
# come after those of gausscse_settings.
add_library(gausscse_joined_tests INTERFACE)
target_compile_options(gausscse_joined_tests INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
function(gausscse_join_test_files target)
  gausscse_join_files(${target})
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(GAUSSCSE_JOIN_FILES AND count GREATER 1)
    target_link_libraries(${target} PRIVATE gausscse_joined_tests)
  endif()
endfunction()

# gausscse_test(NAME SOURCES a.cpp ... [LINK x ...] [LABEL l] [TENSORS] [FILES_ALONE]): one GoogleTest
# program, TENSORS where it computes with LibTorch, FILES_ALONE where its files have local names in common. It is one test
# of ctest, as each start of a program that loads LibTorch takes 0.4 s. Real data comes from GAUSSCSE_TEST_DATA,
# ../shared/data by default.
function(gausscse_test name)
  cmake_parse_arguments(arg "TENSORS;FILES_ALONE" "LABEL" "SOURCES;LINK" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gausscse_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gausscse_settings gausscse_test_settings gausscse_test_support ${arg_LINK} GTest::gtest)
  if(arg_TENSORS)
    gausscse_precompile(${name} tensor_test)
  else()
    gausscse_precompile(${name} test)
  endif()
  if(NOT arg_FILES_ALONE)
    gausscse_join_test_files(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}")
  if(gpu IN_LIST arg_LABEL)
    set_property(GLOBAL APPEND PROPERTY gausscse_gpu_tests ${name})
  endif()
endfunction()

# Tests with the instructions for bfloat16 of lesser processors: what is added to a test's name, the ONEDNN_MAX_CPU_ISA
# that leaves no others, and the flag of /proc/cpuinfo without which a processor has no others anyway.
set(gausscse_bfloat16_levels .without_amx .without_bfloat16)
set(gausscse_bfloat16_limits AVX512_CORE_BF16 AVX512_CORE)
set(gausscse_bfloat16_flags amx_bf16 avx512_bf16)
set(gausscse_on_processor_with "${PROJECT_SOURCE_DIR}/tests/support/on_processor_with.sh")

# gausscse_mpi_test(NAME NP 1 2 4 SOURCES ... [LINK ...] [BFLOAT16_LEVELS_AT 1 2]): the same program under
# mpiexec at each size, and at those sizes again with the instructions for bfloat16 of lesser processors.
function(gausscse_mpi_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;NP;BFLOAT16_LEVELS_AT" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NP)
    message(FATAL_ERROR "gausscse_mpi_test(${name}): give NP and SOURCES; unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gausscse_settings gausscse_test_settings gausscse_mpi_test_main ${arg_LINK} GTest::gtest)
  gausscse_precompile(${name} tensor_test)
  gausscse_join_test_files(${name})
  foreach(np IN LISTS arg_NP)
    set(tests ${name}.np${np})
    set(processors 2)
    if(np EQUAL 1)
      set(processors 1)
    endif()
    if(np IN_LIST arg_BFLOAT16_LEVELS_AT)
      list(TRANSFORM gausscse_bfloat16_levels PREPEND ${name}.np${np} OUTPUT_VARIABLE levels)
      list(APPEND tests ${levels})
    endif()
    foreach(test IN LISTS tests)
      set(only_with "")
      foreach(level flag IN ZIP_LISTS levels gausscse_bfloat16_flags)
        if(test STREQUAL level)
          set(only_with ${gausscse_on_processor_with} ${flag})
        endif()
      endforeach()
      add_test(NAME ${test} COMMAND ${only_with} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np} --oversubscribe
                                    --bind-to none $<TARGET_FILE:${name}>)
      # detect_leaks: Open MPI's own memory is not freed at its end.
      set_tests_properties(${test} PROPERTIES PROCESSORS ${processors} LABELS "mpi;rank_${np}" SKIP_RETURN_CODE 77
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMP_NUM_THREADS=1;OMPI_MCA_mpi_yield_when_idle=1;GTEST_COLOR=no;ASAN_OPTIONS=detect_leaks=0")
    endforeach()
    if(np IN_LIST arg_BFLOAT16_LEVELS_AT)
      foreach(test limit IN ZIP_LISTS levels gausscse_bfloat16_limits)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "ONEDNN_MAX_CPU_ISA=${limit}")
      endforeach()
    endif()
  endforeach()
endfunction()

# gausscse_test_instruction_sets(NAME): a gausscse_test once more, as a whole, with the kernels of lesser processors.
function(gausscse_test_instruction_sets name)
  foreach(set IN ITEMS generic avx2 avx512)
    add_test(NAME ${name}.on_${set} COMMAND ${name})
    set_tests_properties(${name}.on_${set} PROPERTIES LABELS "unit;instruction_set"
      ENVIRONMENT "GAUSSCSE_INSTRUCTION_SET=${set}"
      SKIP_REGULAR_EXPRESSION "asks for ${set}, which this processor does not have")
  endforeach()
endfunction()

# gausscse_test_bfloat16_levels(NAME): a gausscse_test once more with the instructions for bfloat16 of lesser processors.
function(gausscse_test_bfloat16_levels name)
  foreach(level limit flag IN ZIP_LISTS gausscse_bfloat16_levels gausscse_bfloat16_limits gausscse_bfloat16_flags)
    add_test(NAME ${name}${level} COMMAND ${gausscse_on_processor_with} ${flag} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}${level} PROPERTIES LABELS "unit;instruction_set" SKIP_RETURN_CODE 77
      ENVIRONMENT "ONEDNN_MAX_CPU_ISA=${limit}")
  endforeach()
endfunction()

# gausscse_test_bfloat16_kernels(NAME): a gausscse_test once more with each block kernel for avx512_bf16
# (model/matmul/cpu/block_kernel.hpp), of which a processor chooses one. AMX, which has no such choice, is left out.
function(gausscse_test_bfloat16_kernels name)
  foreach(kernel IN ITEMS vdpbf16ps fma)
    add_test(NAME ${name}.by_${kernel} COMMAND ${gausscse_on_processor_with} avx512_bf16 $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.by_${kernel} PROPERTIES LABELS "unit;instruction_set" SKIP_RETURN_CODE 77
      ENVIRONMENT "GAUSSCSE_BF16_KERNEL=${kernel};ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16")
  endforeach()
endfunction()
