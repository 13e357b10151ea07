#include "tests/experiments/simulation/simulated_disk.hpp"

#include <algorithm>
#include <cerrno>

namespace gausscse {

NodePtr SimulatedDisk::find(const Node& folder, std::string_view name) {
  for (const auto& [known, node] : *folder.names)
    if (known == name) return node;
  return nullptr;
}

/// Puts a node under a name, or removes the name.
void SimulatedDisk::set(Node& folder, std::string_view name, NodePtr node) {
  if (folder.is_committed) on_change_of_committed();
  auto names = std::make_shared<Entries>(*folder.names);
  std::erase_if(*names, [&](const auto& entry) { return entry.first == name; });
  if (node) names->emplace_back(name, std::move(node));
  folder.names = std::move(names);
  folder.written = now;
}

int SimulatedDisk::create(Node& folder, std::string_view name, bool is_folder, NodePtr& made) {
  if (!folder.is_linked) return ESTALE;
  if (find(folder, name)) return EEXIST;
  made = std::make_shared<Node>();
  made->is_folder = is_folder;
  made->number = ++made_;
  made->written = made->changed = now;
  on_new_name(folder, name, made);
  set(folder, name, made);
  return 0;
}

int SimulatedDisk::rename(Node& from, std::string_view name, Node& to, std::string_view new_name) {
  const NodePtr moved = find(from, name), replaced = find(to, new_name);
  if (!from.is_linked || !to.is_linked) return ESTALE;
  if (!moved) return ENOENT;
  if (moved == replaced) return 0;
  if (replaced) {
    if (replaced->is_folder != moved->is_folder) return moved->is_folder ? ENOTDIR : EISDIR;
    if (replaced->is_folder && !replaced->names->empty()) return ENOTEMPTY;
    if (replaced->is_committed) on_change_of_committed();
    replaced->is_linked = false;
  }
  if (moved->is_committed) on_change_of_committed();
  on_new_name(to, new_name, moved);
  set(from, name, nullptr);
  set(to, new_name, moved);
  return 0;
}

int SimulatedDisk::remove(Node& folder, std::string_view name) {
  const NodePtr node = find(folder, name);
  if (!folder.is_linked) return ESTALE;
  if (!node) return ENOENT;
  if (node->is_folder && !node->names->empty()) return ENOTEMPTY;
  if (node->is_committed) on_change_of_committed();
  node->is_linked = false;
  set(folder, name, nullptr);
  return 0;
}

void SimulatedDisk::write(Node& file, std::string bytes) {
  if (file.is_committed) on_change_of_committed();
  file.bytes = std::move(bytes);
  file.written = now;
}

}  // namespace gausscse
