/* wasi_flood: asks WASI for more than it should get, in the way that its argument
 * "do" names, of the file or directory "path" (relative to the preopened root),
 * and reports a count and the last errno: "256 6". */
#include "ohhost.h"

#define WASI(name) IMPORT("wasi_snapshot_preview1", #name)
WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
WASI(fd_close) i32 fd_close(i32 fd);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_pread) i32 fd_pread(i32 fd, const void *iov, i32 n, i64 at, u32 *got);
WASI(fd_readdir) i32 fd_readdir(i32 fd, void *buf, u32 len, i64 cookie, u32 *used);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);

enum { ROOT = 3, FOLLOW = 1, DIRECTORY = 2 };

static u8 buf[8 << 20], path[8192], what[64];
static u32 path_len;

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"wasi_flood\",\"description\":\"Floods the host over WASI.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{\"files\":\"read\"}}]}");
	return 0;
}

static char *number(char *at, u32 n)
{
	char digits[10];
	int k = 0;
	do
		digits[k++] = '0' + n % 10;
	while (n /= 10);
	while (k)
		*at++ = digits[--k];
	return at;
}

static i32 report(u32 count, i32 errno)
{
	char out[256], *at = out;
	static const char head[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", tail[] = "\"}],\"is_error\":false}}";
	copy(at, head, sizeof head - 1), at += sizeof head - 1;
	at = number(at, count);
	*at++ = ' ';
	at = number(at, errno);
	copy(at, tail, sizeof tail);
	answer(out);
	return 0;
}

static int is(const char *name) { return same(what, name, length(name) + 1); }

static i32 open_path(i32 oflags, i32 *fd)
{
	return path_open(ROOT, FOLLOW, path, path_len, oflags, 2 | 1 << 14, 2, 0, fd);
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	u32 head[2], count = 0, got = 0;
	i32 fd, errno = 0;
	u8 stat[64];
	if ((u32)n > sizeof buf)
		return 1;
	read_input(buf, n);
	copy(head, buf, sizeof head);
	const u8 *json = buf + 8 + 4 * head[1];
	i32 len = member(json, head[0], "do", what, sizeof what - 1);
	what[len < 0 ? 0 : len] = 0;
	len = member(json, head[0], "path", path, sizeof path);
	path_len = len < 0 ? 0 : len;

	if (is("open") || is("open and trap")) {
		while (count < 10000 && (errno = open_path(0, &fd)) == 0)
			count++;
		if (is("open and trap"))
			__builtin_trap();
		return report(count, errno);
	}
	if (is("open and close")) {
		while (count < 10000 && (errno = open_path(0, &fd)) == 0) {
			fd_close(fd);
			count++;
		}
		return report(count, errno);
	}
	if (is("read")) { /* one read into a large buffer */
		u32 iov[2] = {(u32)(unsigned long)buf, sizeof buf};
		if ((errno = open_path(0, &fd)) == 0)
			errno = fd_read(fd, iov, 1, &got);
		return report(got, errno);
	}
	if (is("read far")) { /* the end of a file of 1 TiB */
		u32 iov[2] = {(u32)(unsigned long)buf, sizeof buf};
		if ((errno = open_path(0, &fd)) == 0)
			errno = fd_pread(fd, iov, 1, (1ll << 40) - 5, &got);
		return report(got, errno);
	}
	if (is("list")) { /* all entries, "." and ".." too */
		i64 cookie = 0;
		if ((errno = open_path(DIRECTORY, &fd)) != 0)
			return report(0, errno);
		while ((errno = fd_readdir(fd, buf, sizeof buf, cookie, &got)) == 0) {
			u32 at = 0;
			while (at + 24 <= got) {
				u32 name;
				copy(&name, buf + at + 16, sizeof name);
				if (at + 24 + name > got)
					break;
				copy(&cookie, buf + at, sizeof cookie);
				at += 24 + name;
				count++;
			}
			if (got < sizeof buf)
				break;
		}
		return report(count, errno);
	}
	if (is("stat")) { /* without end */
		while ((errno = path_filestat_get(ROOT, FOLLOW, path, path_len, stat)) == 0)
			count++;
		return report(count, errno);
	}
	return report(0, 99);
}
