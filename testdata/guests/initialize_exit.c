/* Ends the process in its start-up code. */
#include "ohhost.h"
IMPORT("wasi_snapshot_preview1", "proc_exit") void proc_exit(i32 code) __attribute__((noreturn));
EXPORT("_initialize") void initialize(void) { proc_exit(0); }
EXPORT("oh_describe") i32 oh_describe(void) { return 0; }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
