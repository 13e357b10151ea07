#include "results/error_report.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr const char* error_format = "gausscse-error/1";
constexpr std::size_t largest_error_report = std::size_t{1} << 20;

}  // namespace

void check_error_report_file(std::string_view name, const fs::path& path, std::span<const InputPath> inputs) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && !input_at(path, inputs) && !read_error_report(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and is no error report of gausscse: give another path"));
  check_output_file(name, path, inputs, ExistingFile::replace);
}

void write_error_report(const fs::path& file, const ErrorReport& report) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored)) && !read_error_report(file)) return;
  const nlohmann::ordered_json root{
      {"format", error_format}, {"kind", name_of(report.kind)}, {"message", report.message}};
  try {
    write_file_atomically(file, root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } catch (const WriteError&) {
  }
}

std::optional<ErrorReport> read_error_report(const fs::path& file) {
  try {
    const JsonDocument document =
        parse_strict_json(read_whole_file(file, largest_error_report, Links::refused), file.string());
    const nlohmann::json& root = document;
    const auto kind = find_choice<ErrorKind>(root.at("kind").get<std::string>());
    if (root.at("format") != error_format || !kind) return std::nullopt;
    return ErrorReport{*kind, root.at("message").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace gausscse
