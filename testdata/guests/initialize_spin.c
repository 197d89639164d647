/* Never comes back from its start-up code. */
#include "ohhost.h"
EXPORT("_initialize") void initialize(void) { for (volatile u32 i = 0;; i++) ; }
EXPORT("oh_describe") i32 oh_describe(void) { return 0; }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
