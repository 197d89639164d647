/* Describes a tool with text that nobody sees: two tag characters. */
#include "ohhost.h"
EXPORT("oh_describe") i32 oh_describe(void) {
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"hidden\",\"description\":\"Reads.\\udb40\\udc61\\udb40\\udc62\",\"inputSchema\":{}}]}");
	return 0;
}
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
