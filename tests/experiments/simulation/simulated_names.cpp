#include <algorithm>

#include "tests/experiments/simulation/simulated_host.hpp"

// The names in folders, as a host sees and changes them.

namespace gausscse {

namespace fs = std::filesystem;

/// Looks a name up as this host remembers it.
NodePtr SimulatedHost::look_up(const NodePtr& folder, const std::string& name) const {
  const double now = system_.fibers.now();
  if (machine_.cache_seconds == 0) return SimulatedDisk::find(*folder, name);
  auto& [looked, node] = machine_.known.try_emplace({folder->number, name}, -1e9, nullptr).first->second;
  if (now - looked > machine_.cache_seconds) {
    looked = now;
    node = SimulatedDisk::find(*folder, name);
  }
  return node;
}

/// Returns the folder of a path, null where it is not there, and its last name.
SimulatedHost::Place SimulatedHost::place_of(const fs::path& path) const {
  const std::string& text = path.native();
  NodePtr folder = text.starts_with('/') ? system_.disk.root : working_folder_;
  std::size_t begin = text.starts_with('/') ? 1 : 0;
  while (folder) {
    const std::size_t end = text.find('/', begin);
    std::string name = text.substr(begin, end - begin);
    if (end == std::string::npos) return {folder, name};
    if (name != ".") folder = look_up(folder, name);
    if (folder && !folder->is_folder) folder = nullptr;
    begin = end + 1;
  }
  return {};
}

NodePtr SimulatedHost::find(const fs::path& path) const {
  const Place place = place_of(path);
  if (!place.folder) return nullptr;
  return place.name == "." || place.name.empty() ? place.folder : look_up(place.folder, place.name);
}

NodePtr SimulatedHost::at(const fs::path& path) const {
  NodePtr node = system_.disk.root;
  for (const fs::path& name : path.relative_path())
    if (node) node = SimulatedDisk::find(*node, name.native());
  return node;
}

int SimulatedHost::status(const fs::path& path, struct stat& status) const {
  if (!begin_call("lstat", path)) return fail_call(EIO);
  if (const int error = random_error({EIO, ESTALE})) return fail_call(error);
  const NodePtr node = find(path);
  if (!node) return fail_call(ENOENT);
  status = {};
  status.st_mode = node->is_folder ? S_IFDIR | 0777u : S_IFREG | 0666u;
  status.st_ino = node->number;
  status.st_size = static_cast<off_t>(content(*node).size());
  status.st_mtim = {static_cast<time_t>(node->written), static_cast<long>(std::fmod(node->written, 1) * 1e9)};
  return 0;
}

std::vector<std::string> SimulatedHost::names(const fs::path& path, std::error_code& error) const {
  std::vector<std::string> found;
  error.clear();
  if (!begin_call("list", path)) return found;
  const NodePtr folder = find(path);
  int code = random_error({EIO, ESTALE});
  if (code == 0 && !folder) code = ENOENT;
  if (code == 0 && !folder->is_folder) code = ENOTDIR;
  error = std::error_code(code, std::generic_category());
  if (error) return found;
  auto& [looked, names] = machine_.lists.try_emplace(folder->number, -1e9, nullptr).first->second;
  if (system_.fibers.now() - looked > machine_.cache_seconds || machine_.cache_seconds == 0) {
    looked = system_.fibers.now();
    names = folder->names;
  }
  for (const auto& [name, node] : *names) found.push_back(name);
  return found;
}

int SimulatedHost::make_folder(const fs::path& path) const {
  if (!begin_call("mkdir", path)) return fail_call(EIO);
  if (const int error = random_error({EIO, ESTALE, ENOSPC})) return fail_call(error);
  const Place place = place_of(path);
  if (!place.folder) return fail_call(ENOENT);
  machine_.forget(*place.folder);
  NodePtr made;
  int error = system_.disk.create(*place.folder, place.name, true, made);
  if (error == 0 && system_.random.chance(system_.faults.lost_answer)) error = EEXIST;
  return error == 0 ? 0 : fail_call(error);
}

std::error_code SimulatedHost::make_folders(const fs::path& path) const {
  if (path.has_relative_path())
    if (const std::error_code error = make_folders(path.parent_path())) return error;
  if (!path.has_relative_path() || make_folder(path) == 0 || errno == EEXIST) return {};
  return std::error_code(errno, std::generic_category());
}

int SimulatedHost::rename(const fs::path& from, const fs::path& to) const {
  if (!begin_call("rename", to)) return fail_call(EIO);
  if (const int error = random_error({EIO, ESTALE, ENOSPC})) return fail_call(error);
  const Place old_place = place_of(from), new_place = place_of(to);
  if (!old_place.folder || !new_place.folder) return fail_call(ENOENT);
  machine_.forget(*old_place.folder);
  machine_.forget(*new_place.folder);
  int error = system_.disk.rename(*old_place.folder, old_place.name, *new_place.folder, new_place.name);
  // The server is asked again.
  if (error == 0 && system_.random.chance(system_.faults.lost_answer)) error = ENOENT;
  return error == 0 ? 0 : fail_call(error);
}

int SimulatedHost::remove(const fs::path& path) const {
  if (!begin_call("remove", path)) return fail_call(EIO);
  if (const int error = random_error({EIO, ESTALE})) return fail_call(error);
  const Place place = place_of(path);
  if (!place.folder) return fail_call(ENOENT);
  machine_.forget(*place.folder);
  int error = system_.disk.remove(*place.folder, place.name);
  if (error == 0 && system_.random.chance(system_.faults.lost_answer)) error = ENOENT;
  return error == 0 ? 0 : fail_call(error);
}

void SimulatedHost::remove_all(const fs::path& path) const {
  struct stat found {};
  if (status(path, found) != 0) return;
  std::error_code ignored;
  if (S_ISDIR(found.st_mode))
    for (const std::string& name : names(path, ignored)) remove_all(path / name);
  remove(path);
}

}  // namespace gausscse
