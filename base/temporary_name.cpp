#include "base/temporary_name.hpp"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".tmp-";

/// Parts of a temporary name.
struct TemporaryName {
  std::string_view name, host;
  pid_t process = 0;
  std::uint64_t start = 0;  ///< start of the process; 0: not known
};

/// Takes `<before><number>` off the end of `text`; nothing where that is not its end.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, char before) {
  const std::size_t at = text.rfind(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(at + 1);
  Number number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

/// Returns the parts of a whole temporary name that was made for a name that `is_own` accepts; nothing for another
/// name.
std::optional<TemporaryName> parse(std::string_view text, const std::function<bool(std::string_view)>& is_own) {
  if (!take_number<pid_t>(text, '-')) return std::nullopt;
  const auto start = take_number<std::uint64_t>(text, '.');
  const auto process = take_number<pid_t>(text, '-');
  if (!process || *process == 0) return std::nullopt;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const TemporaryName parts{text.substr(0, at), text.substr(at + mark.size()), *process, start.value_or(0)};
    if (!parts.host.empty() && is_own(parts.name)) return parts;
  }
  return std::nullopt;
}

/// Returns "<process>.<start>" of this process.
std::string own_process() {
  return concat(::getpid(), ".", start_of_process(::getpid()).value_or(0));
}

}  // namespace

fs::path temporary_sibling(const fs::path& path) {
  static std::atomic<unsigned long> count{0};
  while (true) {
    fs::path candidate = file_calls::folder_of(path) /
                         concat(path.filename().string(), mark, host_name(), "-", own_process(), "-", count++);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(candidate, ignored))) return candidate;
  }
}

RemovedAtEnd::~RemovedAtEnd() {
  if (!kept_) ::unlink(path_.c_str());
}

bool is_temporary_name(std::string_view name) {
  return parse(name, [](std::string_view made_for) { return !made_for.empty(); }).has_value();
}

Leftovers remove_abandoned(const fs::path& folder, const std::function<bool(std::string_view)>& is_own) {
  Leftovers leftovers;
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto made = parse(name, is_own);
    if (!made) continue;
    (made->host == host_name() && process_has_ended(made->process, made->start) ? abandoned : leftovers.kept)
        .push_back(entry->path());
  }
  for (const fs::path& leftover : abandoned) {
    fs::remove_all(leftover, error);
    if (!error) ++leftovers.removed;
  }
  return leftovers;
}

std::size_t remove_abandoned_siblings(const fs::path& path) {
  const std::string own = path.filename().string();
  return remove_abandoned(file_calls::folder_of(path), [&](std::string_view name) { return name == own; }).removed;
}

}  // namespace gausscse
