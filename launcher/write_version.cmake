# Run at every build: writes version.cpp, only if it changes. Arguments: SOURCE_DIR, OUTPUT, PROJECT_VERSION.
execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse HEAD OUTPUT_VARIABLE GAUSSCSE_COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(GAUSSCSE_COMMIT "unknown")
else()
  execute_process(COMMAND git -C "${SOURCE_DIR}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                  ERROR_QUIET)
  if(changes)
    string(APPEND GAUSSCSE_COMMIT "-modified")
  endif()
endif()
configure_file("${SOURCE_DIR}/launcher/version.cpp.in" "${OUTPUT}" @ONLY)
