# Language level, warnings, sanitizers: one INTERFACE target that every target of ours links.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Without the sloppiness ccache keeps nothing that is compiled with a precompiled header. With DEPEND it takes the included
  # files from the compiler: its own preprocessing costs a twentieth of a first build.
  set(ccache_settings CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
  # What is built once in each of several folders: none of them is part of what the cache knows an object by.
  if(GAUSSCSE_JOIN_FILES AND NOT DEFINED ENV{CCACHE_BASEDIR})
    list(APPEND ccache_settings "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env ${ccache_settings} "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# Links in a third of the time that the usual linker takes.
find_program(LLD_PROGRAM NAMES ld.lld ld.lld-14)
if(LLD_PROGRAM)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
endif()

add_library(gausscse_settings INTERFACE)
target_include_directories(gausscse_settings INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(gausscse_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                       $<$<BOOL:${GAUSSCSE_WARNINGS_AS_ERRORS}>:-Werror>)
# g++ 12 may make an empty cold part of a function, with an entry in .eh_frame. lld keeps one entry for each address, so that the
# function behind it would have none, and an exception in it would end the program.
target_compile_options(gausscse_settings INTERFACE
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-reorder-blocks-and-partition>)
if(GAUSSCSE_SANITIZE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "GAUSSCSE_SANITIZE builds the libFuzzer targets too, which only clang can: use the preset sanitize, "
                        "or give -DCMAKE_CXX_COMPILER=clang++-14")
  endif()
  # pass-failed: loops that sanitizers keep from being vectors.
  target_compile_options(gausscse_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                     -fno-omit-frame-pointer -Wno-pass-failed)
  target_compile_definitions(gausscse_settings INTERFACE GAUSSCSE_ADDRESS_SANITIZER)
  target_link_options(gausscse_settings INTERFACE -fsanitize=address,undefined)
endif()

# What runs long under sanitizers is optimised there, too, at twice its compilation: add_compile_options(this). Not together
# with precompiled headers, which are compiled without.
set(gausscse_optimised_with_sanitizers "")
if(GAUSSCSE_SANITIZE)
  set(gausscse_optimised_with_sanitizers -O1)
endif()

# For code that never runs long: compiled quickly rather than made quick. Takes a third to a half off its compilation.
add_library(gausscse_compiled_quickly INTERFACE)
target_compile_options(gausscse_compiled_quickly INTERFACE $<$<CONFIG:Release>:-O1>)

# The files of TARGET are compiled together under GAUSSCSE_JOIN_FILES: what they include is read once.
function(gausscse_join_files target)
  if(GAUSSCSE_JOIN_FILES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # g++ collects garbage from 128 MB on, which takes up to a third of the compilation of many files together.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param=ggc-min-heapsize=1000000>)
  endif()
endfunction()

# gausscse_library(NAME SOURCES a.cpp ... LINK x y ... [MISSING b.cpp] [PRECOMPILED set] [COMPILED_QUICKLY]): a static library with
# the project's settings; for the sets of headers see precompiled_headers.cmake. Where the build has two programs, one that computes
# with tensors is compiled twice: NAME with LibTorch's, and NAME_own with those of model/tensor. MISSING takes the place of the
# sources that the program with LibTorch never runs.
function(gausscse_library name)
  cmake_parse_arguments(arg "COMPILED_QUICKLY" "PRECOMPILED;MISSING" "SOURCES;LINK" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gausscse_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(own "")
  foreach(library IN LISTS arg_LINK)
    if(library STREQUAL gausscse::libtorch)
      list(APPEND own gausscse_tensor)
    elseif(TARGET ${library}_own)
      list(APPEND own ${library}_own)
    else()
      list(APPEND own ${library})
    endif()
  endforeach()
  set(sources ${arg_SOURCES})
  if(GAUSSCSE_TWO_PROGRAMS AND NOT own STREQUAL arg_LINK)
    add_library(${name}_own STATIC EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${name}_own PUBLIC ${own})
    if(arg_MISSING)
      set(sources ${arg_MISSING})
    endif()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  foreach(target IN ITEMS ${name} ${name}_own)
    if(NOT TARGET ${target})
      continue()
    endif()
    target_link_libraries(${target} PRIVATE gausscse_settings)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
    if(arg_COMPILED_QUICKLY)
      target_link_libraries(${target} PRIVATE gausscse_compiled_quickly)
    endif()
    gausscse_join_files(${target})
  endforeach()
  if(arg_PRECOMPILED)
    gausscse_precompile(${name} ${arg_PRECOMPILED})
  endif()
  if(arg_PRECOMPILED AND TARGET ${name}_own)
    gausscse_precompile(${name}_own own_tensor)
  endif()
endfunction()

# gausscse_embed(FILE HEADER FUNCTION): writes FILE.cpp into the build folder; it defines FUNCTION, which HEADER declares and
# which returns the text of FILE. So the program needs to find no such file.
function(gausscse_embed file header function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  file(CONFIGURE OUTPUT "${file}.cpp" @ONLY CONTENT [[
#include "@header@"

std::string_view @function@() {
  return R"gausscse(@text@)gausscse";
}
]])
endfunction()

# gausscse_add_for_instruction_sets(TARGET a.cpp ...): compiles these files once for each instruction set, in a namespace
# that GAUSSCSE_ISA names, as part of TARGET. table_of_instruction_set (model/kernels/instruction_set.hpp) picks at run
# time.
set(gausscse_flags_of_generic "")
set(gausscse_flags_of_avx2 -march=haswell)
set(gausscse_flags_of_avx512 -march=skylake-avx512 -mprefer-vector-width=512)
set(gausscse_flags_of_avx512_bf16 ${gausscse_flags_of_avx512} -mavx512bf16)
function(gausscse_add_for_instruction_sets target)
  # With sanitizers a file takes five times as long to compile at -O3, and they look at the same accesses at -O1.
  set(optimisation -O3)
  if(GAUSSCSE_SANITIZE)
    set(optimisation -O1)
  endif()
  foreach(isa IN ITEMS generic avx2 avx512 avx512_bf16)
    add_library(${target}_${isa} OBJECT ${ARGN})
    target_link_libraries(${target}_${isa} PRIVATE gausscse_settings)
    target_compile_definitions(${target}_${isa} PRIVATE GAUSSCSE_ISA=${isa})
    # psabi: vectors never cross a call between files.
    target_compile_options(${target}_${isa} PRIVATE ${gausscse_flags_of_${isa}} ${optimisation} -fopenmp -fno-math-errno
                           -fno-trapping-math -ffp-contract=fast -Wno-psabi)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
    set_property(TARGET ${target} APPEND PROPERTY gausscse_object_libraries ${target}_${isa})
  endforeach()
endfunction()
