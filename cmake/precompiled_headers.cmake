# Headers that cost seconds in every file are compiled once. A target takes one set:
#   tensor      LibTorch's tensors                     libraries that compute
#   own_tensor  those of model/tensor                  the same, for the program without LibTorch
#   command     CLI11, spdlog and tensors              the program
#   test        tests/support/testing.hpp              tests without tensors
#   tensor_test the same, tensors, common operators  tests with tensors
# LibTorch's operators are included one by one: all of them, ATen/ATen.h, cost two seconds in every file that is compiled
# with them, precompiled or not.
set(precompiled_standard <algorithm> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
                         <string_view> <utility> <vector>)
set(precompiled_tensor <ATen/core/Tensor.h> <ATen/ops/empty.h> <ATen/ops/empty_like.h> <ATen/ops/zeros_like.h>)
set(precompiled_operators <ATen/Context.h> <ATen/Parallel.h> <ATen/TensorOperators.h> <ATen/ops/arange.h> <ATen/ops/full.h>
                          <ATen/ops/ones.h> <ATen/ops/randn.h> <ATen/ops/tensor.h> <ATen/ops/zeros.h>)

# gausscse_precompiled_set(NAME HEADERS <a> ... LINK x ...)
function(gausscse_precompiled_set name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  set(empty "${PROJECT_BINARY_DIR}/precompiled/${name}.cpp")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "")
  add_library(gausscse_precompiled_${name} OBJECT "${empty}")
  target_link_libraries(gausscse_precompiled_${name} PRIVATE gausscse_settings ${arg_LINK})
  target_precompile_headers(gausscse_precompiled_${name} PRIVATE ${precompiled_standard} ${arg_HEADERS})
  # ccache asks for this to see through a precompiled header.
  target_compile_options(gausscse_precompiled_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# gausscse_precompile(TARGET SET): TARGET is compiled with the precompiled headers of SET. A file whose own options
# change what headers mean (-fopenmp) does without: set its SKIP_PRECOMPILE_HEADERS.
function(gausscse_precompile target set)
  # Two files are left that would use it, fewer than it takes to be worth its own compilation.
  if(GAUSSCSE_JOIN_FILES AND set STREQUAL command)
    set(set tensor)
  endif()
  if(NOT TARGET gausscse_precompiled_${set})
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM gausscse_precompiled_${set})
  # array-bounds: with precompiled headers g++ 12 sees accesses past the end of joined strings that are not there.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    # -fPIE, which programs get otherwise, is not what the headers were compiled with.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

gausscse_precompiled_set(tensor HEADERS ${precompiled_tensor} LINK gausscse::libtorch)
if(GAUSSCSE_TWO_PROGRAMS)
  gausscse_precompiled_set(own_tensor HEADERS ${precompiled_tensor} LINK gausscse_tensor)
endif()
if(NOT GAUSSCSE_JOIN_FILES)
  gausscse_precompiled_set(command HEADERS ${precompiled_tensor} <CLI/CLI.hpp> <spdlog/spdlog.h>
                           LINK gausscse::libtorch CLI11::CLI11 spdlog::spdlog gausscse_compiled_quickly)
endif()
if(GAUSSCSE_TESTS)
  find_package(GTest REQUIRED)
  # What takes long in a test is the product: a test's own code takes a quarter less to compile where it is not optimised.
  # A target whose own code takes long has the property gausscse_runs_long.
  add_library(gausscse_test_settings INTERFACE)
  set(runs_long $<BOOL:$<TARGET_PROPERTY:gausscse_runs_long>>)
  target_compile_options(gausscse_test_settings INTERFACE $<$<AND:$<CONFIG:Release>,$<NOT:${runs_long}>>:-O0>)
  # Undefined behaviour is looked for in the product; in the tests' own code this would double its compilation.
  if(GAUSSCSE_SANITIZE)
    target_compile_options(gausscse_test_settings INTERFACE -fno-sanitize=undefined)
  endif()
  set(testing "${PROJECT_SOURCE_DIR}/tests/support/testing.hpp")
  gausscse_precompiled_set(test HEADERS ${testing} LINK GTest::gtest gausscse_test_settings)
  gausscse_precompiled_set(tensor_test HEADERS ${testing} ${precompiled_tensor} ${precompiled_operators}
                           LINK GTest::gtest gausscse::libtorch gausscse_test_settings)
endif()
