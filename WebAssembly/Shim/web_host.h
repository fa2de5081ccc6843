// What the module asks of the program or page that runs it.
#pragma once

/// Asks one question; the numbers are those of `Host.Question`.
/// Returns the size of the reply, whose first byte says what it is; `linkspan_take` copies it.
__attribute__((import_module("linkspan"), import_name("ask")))
int linkspan_ask(int question, const void *bytes, int count);

__attribute__((import_module("linkspan"), import_name("take")))
void linkspan_take(void *bytes);

/// Writes to standard output (1) or standard error (2).
__attribute__((import_module("linkspan"), import_name("write")))
void linkspan_write(int stream, const void *bytes, int count);

/// Ends the run with a status; does not return.
__attribute__((import_module("linkspan"), import_name("exit"), noreturn))
void linkspan_exit(int status);
