# What the rules of gausscse_install.cmake use while they install. Included at the start of the installation.

# A relative prefix starts from the current folder, which EXISTS does not know.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE)

# Makes a folder under the prefix, and those above it. A new one can be read by other users whatever the umask is; one
# that is there keeps its permissions.
function(make_installed_folder path)
  if(NOT EXISTS "${path}")
    cmake_path(GET path PARENT_PATH parent)
    make_installed_folder("${parent}")
    file(MAKE_DIRECTORY "${path}")
    file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()

# Counts a file that a rule wrote itself among those that are installed, and lets other users read it.
macro(add_written_file name)
  file(CHMOD "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${name}")
endmacro()

# Writes share/gausscse/installed.sha256: the checksum and the path, from the prefix on, of each installed file but
# itself. `sha256sum --check` and share/gausscse/uninstall.sh read it.
macro(list_installed_files)
  set(lines "")
  foreach(path IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE name)
    file(SHA256 "$ENV{DESTDIR}${path}" checksum)
    string(APPEND lines "${checksum}  ${name}\n")
  endforeach()
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/gausscse/installed.sha256" "${lines}")
  add_written_file(share/gausscse/installed.sha256)
endmacro()
