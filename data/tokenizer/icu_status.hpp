#pragma once

#include <unicode/utypes.h>

#include "base/error.hpp"

namespace gausscse {

/// Throws SystemError if a call of ICU failed, which only missing data makes it do.
inline void check_icu(UErrorCode status) {
  if (U_FAILURE(status))
    throw SystemError(concat("ICU cannot load its data (", u_errorName(status),
                             "): the installation of ICU is incomplete, install it again"));
}

}  // namespace gausscse
