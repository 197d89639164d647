/* Sleeps for an hour in its start-up code. */
#include "ohhost.h"
IMPORT("wasi_snapshot_preview1", "poll_oneoff") i32 poll_oneoff(const void *in, void *out, u32 n, u32 *events);
EXPORT("_initialize") void initialize(void)
{
	static const struct { i64 user, tag, clock, timeout, precision, flags; } hour = {0, 0, 1, 3600ll * 1000000000, 0, 0};
	static u8 event[32];
	u32 n;
	poll_oneoff(&hour, event, 1, &n);
}
EXPORT("oh_describe") i32 oh_describe(void) { return 0; }
EXPORT("oh_call") i32 oh_call(i32 n) { return n; }
