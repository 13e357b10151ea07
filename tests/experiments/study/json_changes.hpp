#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse::testing_support {

/// Changes a JSON file.
inline void change_json(const std::filesystem::path& file, const std::function<void(nlohmann::ordered_json&)>& change) {
  nlohmann::ordered_json value = nlohmann::ordered_json::parse(read_whole_file(file, 1 << 20));
  change(value);
  write_bytes(file, value.dump());
}

/// Writes the file by `write`, then once for every member of `value_at(file)` without it and with another kind of value
/// in its place, and tells `check(member, file)` each time.
inline void for_each_spoiled_member(
    const std::filesystem::path& file, const nlohmann::ordered_json::json_pointer& object,
    const std::function<void()>& write,
    const std::function<void(const std::string& member, const std::string& how)>& check) {
  write();
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(read_whole_file(file, 1 << 20));
  for (const auto& entry : whole[object].items()) {
    const std::string member = entry.key();
    write();
    change_json(file, [&](nlohmann::ordered_json& changed) { changed[object].erase(member); });
    check(member, "without it");
    change_json(file, [&](nlohmann::ordered_json& changed) { changed[object][member] = {{"of", "no kind"}}; });
    check(member, "of another kind");
  }
}

}  // namespace gausscse::testing_support
