/* Imports what no host offers. */
#include "ohhost.h"
IMPORT("env", "system") i32 run(const char *command);
EXPORT("oh_describe") i32 oh_describe(void) { return run("id"); }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
