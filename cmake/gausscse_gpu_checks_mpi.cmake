# Open MPI in the archive of scripts/gpu_checks.sh, so that several ranks compute on a machine that has no MPI: mpirun, and
# the components that ranks of one host load at run time. Where there is no Open MPI 4 the archive goes without.
find_program(GAUSSCSE_OMPI_INFO ompi_info)
mark_as_advanced(GAUSSCSE_OMPI_INFO)
if(NOT GAUSSCSE_OMPI_INFO)
  return()
endif()
# open_mpi_path(NAME VARIABLE): where Open MPI has its files of a kind.
function(open_mpi_path name variable)
  execute_process(COMMAND "${GAUSSCSE_OMPI_INFO}" --parsable --path ${name} OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX REPLACE "^path:${name}:([^\n]*)\n.*" "\\1" path "${said}")
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()
execute_process(COMMAND "${GAUSSCSE_OMPI_INFO}" --version OUTPUT_VARIABLE version ERROR_QUIET)
if(NOT version MATCHES "Open MPI v4\\.")
  return()
endif()
open_mpi_path(bindir bin_folder)
open_mpi_path(pkglibdir component_folder)
open_mpi_path(pkgdatadir help_folder)

# Without those of networks, batch systems and files.
set(components
    allocator_basic allocator_bucket bml_r2 btl_self btl_tcp btl_vader coll_basic coll_libnbc coll_self coll_tuned
    errmgr_default_app errmgr_default_hnp ess_env ess_hnp ess_pmi filem_raw grpcomm_direct iof_hnp mpool_hugepage
    odls_default oob_tcp op_avx patcher_overwrite plm_isolated pmix_ext3x pmix_isolated pml_ob1 rcache_grdma
    reachable_weighted regx_fwd regx_naive rmaps_round_robin rml_oob routed_direct routed_radix rtc_hwloc schizo_ompi
    schizo_orte shmem_mmap shmem_posix state_app state_hnp topo_basic)
set(targets "")
foreach(component IN LISTS components)
  set(file "${component_folder}/mca_${component}.so")
  if(EXISTS "${file}")
    add_library(gausscse_open_mpi_${component} MODULE IMPORTED)
    set_target_properties(gausscse_open_mpi_${component} PROPERTIES IMPORTED_LOCATION "${file}")
    list(APPEND targets gausscse_open_mpi_${component})
  endif()
endforeach()
install(IMPORTED_RUNTIME_ARTIFACTS ${targets} RUNTIME_DEPENDENCY_SET gausscse_gpu_libraries
        LIBRARY DESTINATION lib/gausscse/openmpi COMPONENT gpu_checks EXCLUDE_FROM_ALL)
install(PROGRAMS "${bin_folder}/orterun" DESTINATION bin RENAME mpirun COMPONENT gpu_checks EXCLUDE_FROM_ALL)
install(DIRECTORY "${help_folder}/" DESTINATION share/openmpi COMPONENT gpu_checks EXCLUDE_FROM_ALL FILES_MATCHING
        PATTERN "help-*.txt" PATTERN "amca-param-sets" EXCLUDE)
