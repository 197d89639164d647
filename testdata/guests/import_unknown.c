/* Imports a function that ohhost_v1 does not have. */
#include "ohhost.h"
IMPORT("ohhost_v1", "future") i32 future(void);
EXPORT("oh_describe") i32 oh_describe(void) { return future(); }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
