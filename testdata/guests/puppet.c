/* puppet: does what its argument "script" says, step by step, and answers with what
 * came back: whoever calls it attacks the host in a guest's name. Script and answer
 * are hexadecimal; integers are little-endian.
 *
 *   step    u8 op | u32 a | u32 b | u64 c | u32 n | n bytes | u32 m | m bytes
 *   reply   i64 code | u32 n | n bytes
 *
 * A negative code of a WASI call is its errno; paths are relative to the root. */
#include "ohhost.h"

#define WASI(name) IMPORT("wasi_snapshot_preview1", #name)
WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
WASI(path_readlink) i32 path_readlink(i32 fd, const void *path, u32 len, void *buf, u32 cap, u32 *used);
WASI(path_symlink) i32 path_symlink(const void *target, u32 target_len, i32 fd, const void *path, u32 len);
WASI(path_link) i32 path_link(i32 fd, i32 flags, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_rename) i32 path_rename(i32 fd, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_create_directory) i32 path_create_directory(i32 fd, const void *path, u32 len);
WASI(path_unlink_file) i32 path_unlink_file(i32 fd, const void *path, u32 len);
WASI(path_remove_directory) i32 path_remove_directory(i32 fd, const void *path, u32 len);
WASI(path_filestat_set_times) i32 path_filestat_set_times(i32 fd, i32 flags, const void *path, u32 len, i64 a, i64 m, i32 set);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);
WASI(fd_close) i32 fd_close(i32 fd);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_allocate) i32 fd_allocate(i32 fd, i64 at, i64 len);
WASI(fd_filestat_set_size) i32 fd_filestat_set_size(i32 fd, i64 size);
WASI(fd_filestat_set_times) i32 fd_filestat_set_times(i32 fd, i64 a, i64 m, i32 set);
WASI(fd_readdir) i32 fd_readdir(i32 fd, void *buf, u32 len, i64 cookie, u32 *used);
WASI(fd_renumber) i32 fd_renumber(i32 from, i32 to);
WASI(clock_time_get) i32 clock_time_get(i32 id, i64 precision, i64 *out);
WASI(poll_oneoff) i32 poll_oneoff(const void *in, void *out, u32 n, u32 *events);

enum { ROOT = 3, FOLLOW = 1, ATIM = 1, MTIM = 4 };
enum {
	INVOKE = 1, OUTPUT, PROGRESS, GROW, CLOCK, SLEEP,
	OPEN, READ, READDIR, WRITE, CLOSE, RENUMBER, ALLOCATE, SET_SIZE, SET_FD_TIMES,
	STAT, READLINK, SYMLINK, LINK, RENAME, MKDIR, UNLINK, RMDIR, SET_TIMES,
};

static u8 buf[4 << 20], replies[4 << 20], text[8 << 20];
static u32 used;

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"puppet\",\"description\":\"Does what it is told.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{\"files\":\"write\",\"state\":true}}]}");
	return 0;
}

static u32 nibble(u8 c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static const u8 *at;

static u32 u32_at(void)
{
	u32 v;
	copy(&v, at, sizeof v);
	at += sizeof v;
	return v;
}

static void reply(i64 code, u32 n)
{
	copy(replies + used, &code, sizeof code);
	copy(replies + used + 8, &n, sizeof n);
	used += 12 + n;
}

/* Where the bytes of the reply under way go, and how many there is room for. */
static u8 *room(u32 *cap)
{
	*cap = sizeof replies - 64 - used;
	return replies + used + 12;
}

static int has(const u8 *in, u32 n, const u8 *needle, u32 m)
{
	for (u32 i = 0; m && i + m <= n; i++) {
		u32 k = 0;
		while (k < m && in[i + k] == needle[k])
			k++;
		if (k == m)
			return 1;
	}
	return 0;
}

/* Sends the request up to times times, until an answer has the needle. */
static void invoke(u32 times, const u8 *request, u32 n, const u8 *needle, u32 m)
{
	u32 cap, len = 0;
	u8 *to = room(&cap);
	i64 code = 0;
	do {
		i32 got;
		len = 0;
		code = oh_invoke(request, n);
		while (code > 0 && len < cap && (got = oh_input(to + len, cap - len)) > 0)
			len += got;
	} while (--times + 1 > 1 && !has(to, len, needle, m));
	reply(code, len);
}

static i32 sleep_for(i64 ns)
{
	static u8 sub[48], event[32];
	u32 got;
	sub[16] = 1; /* the monotonic clock; tag 0 at offset 8 is a clock */
	copy(sub + 24, &ns, 8);
	return poll_oneoff(sub, event, 1, &got);
}

/* Does the step and notes what came back; false ends the call. */
static int step(void)
{
	u32 op = *at++, a = u32_at(), b = u32_at(), cap, got = 0;
	i64 c, now;
	copy(&c, at, sizeof c), at += sizeof c;
	u32 n = u32_at();
	const u8 *one = at;
	at += n;
	u32 m = u32_at();
	const u8 *two = at;
	at += m;
	u8 *to = room(&cap);
	u32 iov[2] = {(u32)(unsigned long)to, b < cap ? b : cap};
	i32 fd, errno = 0;
	switch (op) {
	case INVOKE:
		invoke(a, one, n, two, m);
		return 1;
	case OUTPUT: /* these bytes are the whole answer */
		oh_output(one, n);
		return 0;
	case PROGRESS:
		oh_progress(one, n);
		break;
	case GROW:
		reply((i32)__builtin_wasm_memory_grow(0, a), 0);
		return 1;
	case CLOCK:
		errno = clock_time_get(a, 0, &now);
		reply(errno ? -errno : now, 0);
		return 1;
	case SLEEP:
		errno = sleep_for(c);
		break;

	case OPEN:
		errno = path_open(ROOT, FOLLOW, one, n, a, c, c, b, &fd);
		reply(errno ? -errno : fd, 0);
		return 1;
	case READ:
		errno = fd_read(a, iov, 1, &got);
		reply(errno ? -errno : (i64)got, errno ? 0 : got);
		return 1;
	case READDIR:
		errno = fd_readdir(a, to, iov[1], 0, &got);
		reply(errno ? -errno : (i64)got, errno ? 0 : got);
		return 1;
	case WRITE:
		iov[0] = (u32)(unsigned long)one, iov[1] = n;
		errno = fd_write(a, iov, 1, &got);
		break;
	case CLOSE:
		errno = fd_close(a);
		break;
	case RENUMBER:
		errno = fd_renumber(a, b);
		break;
	case ALLOCATE:
		errno = fd_allocate(a, 0, c);
		break;
	case SET_SIZE:
		errno = fd_filestat_set_size(a, c);
		break;
	case SET_FD_TIMES:
		errno = fd_filestat_set_times(a, c, c, ATIM | MTIM);
		break;

	case STAT:
		errno = path_filestat_get(ROOT, FOLLOW, one, n, to);
		reply(-errno, errno ? 0 : 64);
		return 1;
	case READLINK:
		errno = path_readlink(ROOT, one, n, to, 4096, &got);
		reply(errno ? -errno : (i64)got, errno ? 0 : got);
		return 1;
	case SYMLINK:
		errno = path_symlink(one, n, ROOT, two, m);
		break;
	case LINK:
		errno = path_link(ROOT, FOLLOW, one, n, ROOT, two, m);
		break;
	case RENAME:
		errno = path_rename(ROOT, one, n, ROOT, two, m);
		break;
	case MKDIR:
		errno = path_create_directory(ROOT, one, n);
		break;
	case UNLINK:
		errno = path_unlink_file(ROOT, one, n);
		break;
	case RMDIR:
		errno = path_remove_directory(ROOT, one, n);
		break;
	case SET_TIMES:
		errno = path_filestat_set_times(ROOT, FOLLOW, one, n, c, c, ATIM | MTIM);
		break;
	default:
		__builtin_trap();
	}
	reply(-errno, 0);
	return 1;
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	static const char header[] = "{\"result\":{\"content\":[],\"fields\":{\"replies\":{\"$attachment\":0}}}}";
	static const char digits[] = "0123456789abcdef";
	u32 head[3];
	if ((u32)n > sizeof buf)
		return 1;
	read_input(buf, n);
	copy(head, buf, sizeof head);
	i32 len = member(buf + 8 + 4 * head[1], head[0], "script", text, sizeof text);
	if (len < 0)
		return 2;
	for (i32 i = 0; i < len / 2; i++)
		buf[i] = nibble(text[2 * i]) << 4 | nibble(text[2 * i + 1]);
	at = buf;
	while (at < buf + len / 2)
		if (!step())
			return 0;
	for (u32 i = 0; i < used; i++) {
		text[2 * i] = digits[replies[i] >> 4];
		text[2 * i + 1] = digits[replies[i] & 15];
	}
	head[0] = sizeof header - 1, head[1] = 1, head[2] = 2 * used;
	oh_output(head, sizeof head);
	oh_output(header, head[0]);
	oh_output(text, head[2]);
	return 0;
}
