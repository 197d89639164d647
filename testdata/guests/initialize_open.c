/* Opens the root in its start-up code and keeps it; describes and answers with the
 * descriptor, and what it finds in there: what one call has opened, no other may have. */
#include "ohhost.h"
IMPORT("wasi_snapshot_preview1", "path_open") i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
IMPORT("wasi_snapshot_preview1", "fd_readdir") i32 fd_readdir(i32 fd, void *buf, u32 len, i64 cookie, u32 *used);

static i32 fd = -1, opened = -1;
static u8 entries[4096];

EXPORT("_initialize") void initialize(void) { opened = path_open(3, 1, ".", 1, 2, 1 << 14, 0, 0, &fd); }

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"initialize_open\",\"description\":\"Keeps a directory open.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{\"files\":\"read\"}}]}");
	return 0;
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	static char text[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"opened 00 read 00\"}]}}";
	u32 used = 0;
	i32 read = fd_readdir(fd, entries, sizeof entries, 0, &used);
	(void)n;
	text[52] = '0' + opened / 10, text[53] = '0' + opened % 10;
	text[60] = '0' + read / 10, text[61] = '0' + read % 10;
	answer(text);
	return 0;
}
