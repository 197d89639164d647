/* Traps in its start-up code. */
#include "ohhost.h"
EXPORT("_initialize") void initialize(void) { __builtin_trap(); }
EXPORT("oh_describe") i32 oh_describe(void) { return 0; }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
