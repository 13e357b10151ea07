#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

struct Node;
using NodePtr = std::shared_ptr<Node>;
/// Names in a folder. The list is never changed, only replaced, so that hosts can keep an old one.
using Entries = std::vector<std::pair<std::string, NodePtr>>;

/// A file or folder on the server.
struct Node {
  bool is_folder = false;
  std::uint64_t number = 0;
  std::string bytes;             ///< content that the server has
  std::string unsynced;          ///< content that the host `writer` sees, if it has written since its last sync
  const void* writer = nullptr;  ///< host with unsynced content
  std::shared_ptr<const Entries> names = std::make_shared<const Entries>();
  bool is_linked = true;            ///< false once it has no name
  bool is_committed = false;        ///< true for a done trial and all in it: nothing may change
  double written = 0;               ///< seconds
  double changed = 0, silence = 0;  ///< time of the last change of its content, and seconds from the one before
  double changed_before = 0;        ///< the same, without what is unsynced
  std::function<bool()> is_locked;  ///< true while the process that locked it lives; empty: never locked
};

/// Files of a server, which all hosts share. Each change happens at one moment. Functions return 0 or an error number.
class SimulatedDisk {
 public:
  SimulatedDisk() { root->is_folder = true; }

  static NodePtr find(const Node& folder, std::string_view name);
  int create(Node& folder, std::string_view name, bool is_folder, NodePtr& made);
  int rename(Node& from, std::string_view name, Node& to, std::string_view new_name);
  int remove(Node& folder, std::string_view name);
  void write(Node& file, std::string bytes);

  const NodePtr root = std::make_shared<Node>();
  double now = 0;  ///< the server's clock, in seconds
  /// Called with the name before each change; the folder is as it was.
  std::function<void(Node& folder, std::string_view name, const NodePtr& node)> on_new_name =
      [](Node&, std::string_view, const NodePtr&) {};
  /// Called when a done trial is changed.
  std::function<void()> on_change_of_committed = [] {};

 private:
  void set(Node& folder, std::string_view name, NodePtr node);
  std::uint64_t made_ = 1;
};

}  // namespace gausscse
