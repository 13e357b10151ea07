# Writes the manual page gausscse(1) from the program's own --help and that of each subcommand, so that it is always
# right. Arguments: PROGRAM, OUTPUT, VERSION.
function(help_of result)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# As it stands, line by line: troff takes a backslash, and a point or an apostrophe at the start of a line, for its own.
function(as_written result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} ".nf\n${text}.fi\n" PARENT_SCOPE)
endfunction()

help_of(overview)
string(REGEX MATCH "\nTrain:\n.*" list "${overview}")
string(REGEX MATCHALL "\n  [a-z]+" commands "${list}")
if(NOT commands)
  message(FATAL_ERROR "${PROGRAM} --help names no subcommand: the manual page cannot be written")
endif()
as_written(overview "${overview}")
set(page ".TH GAUSSCSE 1 \"\" \"gausscse ${VERSION}\" \"User Commands\"
.SH NAME
gausscse \\- train and use sentence encoders whose embeddings are Gaussian distributions
.SH SYNOPSIS
.B gausscse
[OPTIONS] SUBCOMMAND ...
.SH OPTIONS AND SUBCOMMANDS
${overview}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  help_of(help ${command})
  as_written(help "${help}")
  string(APPEND page ".SH \"gausscse ${command}\"\n${help}")
endforeach()
string(APPEND page ".SH EXIT STATUS
0: success. 1: the machine failed, or trials of a run failed or remain. 2: something to correct first (a file, a setting, a full
disk, a loss that is not finite, a problem that doctor finds). 3: the machine caused too many failures of a run in a row.
128 + N: signal N stopped a train or run; the same command continues it. The error message contains a remedy.
.SH ENVIRONMENT
GAUSSCSE_CACHE names the folder of files that can be made again (tokenised corpora, hashes of files); default: ~/.cache/gausscse.
share/doc/gausscse/docs/building.md lists all variables.
.SH FILES
Next to the folder bin of the program are share/gausscse/examples (trial files), share/gausscse/manifests (studies),
share/gausscse/slurm (job scripts) and share/doc/gausscse (documentation of keys and results).
")
file(WRITE "${OUTPUT}" "${page}")
