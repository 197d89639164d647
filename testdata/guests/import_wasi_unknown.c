/* Imports a function that WASI preview 1 does not have. */
#include "ohhost.h"
IMPORT("wasi_snapshot_preview1", "fd_future") i32 future(void);
EXPORT("oh_describe") i32 oh_describe(void) { return future(); }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
