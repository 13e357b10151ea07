#pragma once

#include <string>

namespace gausscse {

/// Returns the keys of a manifest, of its stages and of its tables as tables in Markdown: what docs/studies.md has of
/// them.
std::string manifest_reference();

}  // namespace gausscse
