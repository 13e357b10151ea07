#include <fcntl.h>

#include <cerrno>

#include "tests/experiments/simulation/simulated_host.hpp"

// Open files of a simulated process. Other hosts see what was written once it is flushed.

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Numbers that the real system gives no file.
constexpr int first_file = 1'000'000'000;

}  // namespace

int SimulatedHost::add_file(NodePtr node) const {
  files_.push_back({std::move(node)});
  return first_file + static_cast<int>(files_.size()) - 1;
}

SimulatedHost::OpenNode& SimulatedHost::file(int number) const {
  return files_.at(static_cast<std::size_t>(number - first_file));
}

const std::string& SimulatedHost::content(const Node& node) const {
  return node.writer == &machine_ ? node.unsynced : node.bytes;
}

int SimulatedHost::flush(Node& node) const {
  if (node.writer != &machine_) return 0;
  node.writer = nullptr;
  system_.disk.write(node, std::move(node.unsynced));
  return 0;
}

int SimulatedHost::open(const fs::path& path, int flags) const {
  if (!begin_call("open", path)) return fail_call(EIO);
  const bool creates = (flags & O_CREAT) != 0;
  if (const int error = creates ? random_error({EIO, ESTALE, ENOSPC}) : random_error({EIO, ESTALE}))
    return fail_call(error);
  const Place place = place_of(path);
  if (!place.folder) return fail_call(ENOENT);
  if (creates) {
    machine_.forget(*place.folder);
    NodePtr made;
    int error = system_.disk.create(*place.folder, place.name, false, made);
    if (error == 0 && system_.random.chance(system_.faults.lost_answer)) error = EEXIST;
    return error == 0 ? add_file(made) : fail_call(error);
  }
  NodePtr node = find(path);
  // A file that is removed has no handle on the server any more: the client looks its name up again, or gives up.
  if (node && !node->is_linked) {
    if (system_.random.chance(0.5)) return fail_call(ESTALE);
    machine_.forget(*place.folder);
    node = find(path);
  }
  return node ? add_file(node) : fail_call(ENOENT);
}

ssize_t SimulatedHost::read(int number, char* bytes, std::size_t count, off_t at) const {
  if (!begin_call("read")) return fail_call(EIO);
  if (const int error = random_error({EIO, ESTALE})) return fail_call(error);
  OpenNode& open = file(number);
  const std::string& all = content(*open.node);
  const std::size_t begin = std::min(all.size(), at < 0 ? open.place : static_cast<std::size_t>(at));
  const std::size_t got = all.copy(bytes, count, begin);
  if (at < 0) open.place = begin + got;
  return static_cast<ssize_t>(got);
}

ssize_t SimulatedHost::write(int number, std::string_view bytes, off_t at) const {
  if (!begin_call("write")) return fail_call(EIO);
  if (const int error = random_error({EIO, ENOSPC, EDQUOT})) return fail_call(error);
  OpenNode& open = file(number);
  if (system_.random.chance(system_.faults.short_write))
    bytes = bytes.substr(0, 1 + system_.random.below(bytes.size()));
  std::string all = content(*open.node);
  const std::size_t begin = at < 0 ? open.place : static_cast<std::size_t>(at);
  if (all.size() < begin + bytes.size()) all.resize(begin + bytes.size(), '\0');
  all.replace(begin, bytes.size(), bytes);
  if (all != content(*open.node)) {
    if (!open.node->writer) open.node->changed_before = open.node->changed;
    open.node->silence = system_.disk.now - open.node->changed;
    open.node->changed = system_.disk.now;
  }
  open.node->unsynced = std::move(all);
  open.is_written = true;
  open.node->writer = &machine_;
  if (at < 0) open.place = begin + bytes.size();
  return static_cast<ssize_t>(bytes.size());
}

int SimulatedHost::sync(int number, bool /*data_only*/) const {
  if (!begin_call("sync")) return fail_call(EIO);
  Node& node = *file(number).node;
  if (const int error = random_error({EIO, ENOSPC})) {
    if (node.writer) node.changed = node.changed_before;
    node.writer = nullptr;  // it is lost
    return fail_call(error);
  }
  return flush(node);
}

int SimulatedHost::close(int number) const {
  return sync(number, false);
}

int SimulatedHost::status(int number, struct stat& status) const {
  if (!begin_call("fstat")) return fail_call(EIO);
  const Node& node = *file(number).node;
  status = {};
  status.st_mode = node.is_folder ? S_IFDIR | 0777u : S_IFREG | 0666u;
  status.st_ino = node.number;
  status.st_size = static_cast<off_t>(content(node).size());
  return 0;
}

bool SimulatedHost::is_lock_held(const fs::path& path) const {
  if (!begin_call("is locked", path)) return true;
  const NodePtr node = find(path);
  return node && node->is_locked && node->is_locked();
}

bool SimulatedHost::lock_file(const fs::path& path) const {
  if (!begin_call("lock", path)) return false;
  const Place place = place_of(path);
  if (!place.folder) return false;
  NodePtr node = SimulatedDisk::find(*place.folder, place.name);
  if (node && node->is_locked && node->is_locked()) return false;
  if (!node && system_.disk.create(*place.folder, place.name, false, node) != 0) return false;
  node->is_locked = [dead = is_dead_] { return !*dead; };
  return true;
}

}  // namespace gausscse
