#pragma once

#include <nlohmann/json.hpp>

#include "tests/support/testing.hpp"

namespace gausscse {

/// Changes a JSON file.
inline void change_json(const std::filesystem::path& file, const std::function<void(nlohmann::ordered_json&)>& change) {
  nlohmann::ordered_json value = nlohmann::ordered_json::parse(read_whole_file(file, 1 << 20));
  // Without it the file is as earlier versions wrote it: a change is seen by the kinds of its members.
  value.erase("check");
  change(value);
  write_bytes(file, value.dump());
}

/// Returns whether files of earlier versions lack the member.
inline bool is_of_later_versions(const std::string& member) {
  for (const char* later : {"check", "report_hash", "trial_hash", "attempts_hash", "identity"})
    if (member == later) return true;
  return false;
}

/// Calls `check` with the file as it is but for one bit in a byte, for about 200 bytes of it, another bit each time.
inline void for_each_flipped_byte(const std::filesystem::path& file, const std::function<void(std::size_t)>& check) {
  const std::string whole = read_whole_file(file, 1 << 20);
  for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 200) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 7)));
    write_bytes(file, flipped);
    check(i);
  }
  write_bytes(file, whole);
}

/// Writes the file by `write`, then once for every member of `value_at(file)` without it and with another kind of value
/// in its place, and calls `check(member, file)` each time.
inline void for_each_spoiled_member(
    const std::filesystem::path& file, const nlohmann::ordered_json::json_pointer& object,
    const std::function<void()>& write,
    const std::function<void(const std::string& member, const std::string& how)>& check) {
  write();
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(read_whole_file(file, 1 << 20));
  for (const auto& entry : whole[object].items()) {
    const std::string& member = entry.key();
    if (is_of_later_versions(member)) continue;
    write();
    change_json(file, [&](nlohmann::ordered_json& changed) { changed[object].erase(member); });
    check(member, "without it");
    change_json(file, [&](nlohmann::ordered_json& changed) { changed[object][member] = {{"of", "no kind"}}; });
    check(member, "of another kind");
  }
}

}  // namespace gausscse
