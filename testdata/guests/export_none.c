/* Exports nothing but its memory. */
#include "ohhost.h"
EXPORT("other") i32 other(void) { return 0; }
