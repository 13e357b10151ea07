#pragma once

#include <fcntl.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/world.hpp"

namespace gausscse {

/// A host that lists a folder as it was when it first looked, until it changes the folder itself: as a host of a
/// network file system does for a while. `Base`: World or a class of it.
template <typename Base>
class OldNames : public Base {
 public:
  using Path = std::filesystem::path;
  std::vector<std::string> names(const Path& folder, std::error_code& error) const override {
    const auto [known, is_new] = known_.try_emplace(folder);
    if (is_new) known->second = Base::names(folder, error);
    return known->second;
  }
  int open(const Path& path, int flags) const override {
    if ((flags & O_CREAT) != 0) known_.erase(path.parent_path());
    return Base::open(path, flags);
  }
  int make_folder(const Path& path) const override {
    known_.erase(path.parent_path());
    return Base::make_folder(path);
  }
  int rename(const Path& from, const Path& to) const override {
    known_.erase(from.parent_path());
    known_.erase(to.parent_path());
    return Base::rename(from, to);
  }
  int remove(const Path& path) const override {
    known_.erase(path.parent_path());
    return Base::remove(path);
  }

 private:
  mutable std::map<Path, std::vector<std::string>> known_;
};

}  // namespace gausscse
