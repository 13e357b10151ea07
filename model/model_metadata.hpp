#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// The metadata of a saved model's file, whose values are texts. Each function throws InputError, with the file, the
/// key, the value and what is allowed, where the key is missing or its value is something else.
class ModelMetadata {
 public:
  /// Refers to both, which must outlive it.
  ModelMetadata(const std::map<std::string, std::string>& values, const std::filesystem::path& path)
      : values_(values), path_(path) {}

  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& text(const std::string& key) const;
  double number(const std::string& key) const;
  /// Returns a whole number from `least` to `most`.
  std::int64_t whole_number(const std::string& key, std::int64_t least, std::int64_t most) const;
  const std::string& one_of(const std::string& key, const std::vector<std::string>& known) const;
  bool truth(const std::string& key) const { return one_of(key, {"true", "false"}) == "true"; }

  template <typename Choice>
  Choice choice(const std::string& key) const {
    return parse_choice<Choice>(concat(path_.string(), ": metadata ", quoted(key)), text(key));
  }

 private:
  const std::map<std::string, std::string>& values_;
  const std::filesystem::path& path_;
};

}  // namespace gausscse
