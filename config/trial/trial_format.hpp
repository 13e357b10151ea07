#pragma once

#include <string_view>

namespace gausscse {

/// Value of a trial file's key `format`; the number rises when a file that was right would be read differently.
inline constexpr std::string_view trial_format = "gausscse-trial/2";

}  // namespace gausscse
