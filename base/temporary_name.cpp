#include "base/temporary_name.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/host_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".tmp-";

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// What a temporary name was made of.
struct TemporaryName {
  std::string_view name, host;
  pid_t process = 0;
};

/// Takes `-<number>` off the end of `text`; nothing where that is not its end.
std::optional<pid_t> take_number(std::string_view& text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(dash + 1);
  pid_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  text = text.substr(0, dash);
  return number;
}

/// The parts of a whole temporary name that was made for a name that `is_own` accepts; nothing for another name.
std::optional<TemporaryName> parse(std::string_view text, const std::function<bool(std::string_view)>& is_own) {
  const auto count = take_number(text);
  const auto process = count ? take_number(text) : std::nullopt;
  if (!process || *process == 0) return std::nullopt;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const TemporaryName parts{text.substr(0, at), text.substr(at + mark.size()), *process};
    if (!parts.host.empty() && is_own(parts.name)) return parts;
  }
  return std::nullopt;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

fs::path temporary_sibling(const fs::path& path) {
  static std::atomic<unsigned long> count{0};
  while (true) {
    fs::path candidate =
        folder_of(path) / concat(path.filename().string(), mark, host_name(), "-", ::getpid(), "-", count++);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(candidate, ignored))) return candidate;
  }
}

Leftovers remove_abandoned(const fs::path& folder, const std::function<bool(std::string_view)>& is_own) {
  Leftovers leftovers;
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto made = parse(name, is_own);
    if (!made) continue;
    (made->host == host_name() && is_gone(made->process) ? abandoned : leftovers.kept).push_back(entry->path());
  }
  for (const fs::path& leftover : abandoned) {
    fs::remove_all(leftover, error);
    if (!error) ++leftovers.removed;
  }
  return leftovers;
}

std::size_t remove_abandoned_siblings(const fs::path& path) {
  const std::string own = path.filename().string();
  return remove_abandoned(folder_of(path), [&](std::string_view name) { return name == own; }).removed;
}

}  // namespace gausscse
