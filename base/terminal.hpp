#pragma once

namespace gausscse {

/// Returns true where `descriptor` is a terminal on which a line can be drawn again: one whose TERM is set and is not
/// "dumb".
bool is_drawing_terminal(int descriptor);

}  // namespace gausscse
