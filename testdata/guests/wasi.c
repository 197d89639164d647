/* wasi_attack: tries every WASI call that could change the file "path" (relative
 * to the preopened root) or, for "other", what lies beside it, and reports each
 * one's errno: "open=0 creat=69 …". */
#include "ohhost.h"

#define WASI(name) IMPORT("wasi_snapshot_preview1", #name)
WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
WASI(fd_close) i32 fd_close(i32 fd);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_pwrite) i32 fd_pwrite(i32 fd, const void *iov, i32 n, i64 at, u32 *got);
WASI(fd_allocate) i32 fd_allocate(i32 fd, i64 at, i64 len);
WASI(fd_filestat_set_size) i32 fd_filestat_set_size(i32 fd, i64 size);
WASI(fd_filestat_set_times) i32 fd_filestat_set_times(i32 fd, i64 a, i64 m, i32 flags);
WASI(path_create_directory) i32 path_create_directory(i32 fd, const void *path, u32 len);
WASI(path_unlink_file) i32 path_unlink_file(i32 fd, const void *path, u32 len);
WASI(path_remove_directory) i32 path_remove_directory(i32 fd, const void *path, u32 len);
WASI(path_rename) i32 path_rename(i32 fd, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_link) i32 path_link(i32 fd, i32 flags, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_symlink) i32 path_symlink(const void *target, u32 target_len, i32 fd, const void *path, u32 len);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);
WASI(path_filestat_set_times) i32 path_filestat_set_times(i32 fd, i32 flags, const void *path, u32 len, i64 a, i64 m, i32 set);

enum { ROOT = 3, FOLLOW = 1, CREAT = 1, DIRECTORY = 2, EXCL = 4, TRUNC = 8, APPEND = 1 };
#define READ 2ll  /* rights::fd_read */
#define WRITE 64ll /* rights::fd_write */

static u8 buf[1 << 16], path[4096], other[4096];
static u32 path_len;
static char report[2048], *at = report;

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"wasi_attack\",\"description\":\"Attacks files over WASI.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{\"files\":\"read\"}}]}");
	return 0;
}

static void note(const char *name, i32 errno)
{
	copy(at, name, length(name)), at += length(name);
	*at++ = '=';
	if (errno >= 10)
		*at++ = '0' + errno / 10;
	*at++ = '0' + errno % 10;
	*at++ = ' ';
}

static i32 open_as(i32 oflags, i64 rights, i32 fdflags)
{
	i32 fd, errno = path_open(ROOT, FOLLOW, path, path_len, oflags, rights, rights, fdflags, &fd);
	if (errno == 0)
		fd_close(fd);
	return errno;
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	u32 head[2], got;
	u8 stat[64];
	if ((u32)n > sizeof buf)
		return 1;
	read_input(buf, n);
	copy(head, buf, sizeof head);
	const u8 *json = buf + 8 + 4 * head[1];
	path_len = member(json, head[0], "path", path, sizeof path);
	u32 other_len = member(json, head[0], "other", other, sizeof other);

	i32 fd = -1;
	i32 opened = path_open(ROOT, FOLLOW, path, path_len, 0, READ, READ, 0, &fd);
	const void *iov[2] = {"OVERWRITTEN", (void *)11};
	static const char head_json[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"";
	copy(at, head_json, sizeof head_json - 1), at += sizeof head_json - 1;
	note("open", opened);
	if (opened == 0) {
		note("write", fd_write(fd, iov, 1, &got));
		note("pwrite", fd_pwrite(fd, iov, 1, 0, &got));
		note("allocate", fd_allocate(fd, 0, 1 << 20));
		note("set_size", fd_filestat_set_size(fd, 0));
		note("set_times", fd_filestat_set_times(fd, 0, 0, 1 | 4));
		fd_close(fd);
	}
	note("creat", open_as(CREAT, READ, 0));
	note("creat_trunc_rdonly", open_as(CREAT | TRUNC, READ, 0));
	note("trunc", open_as(TRUNC, READ | WRITE, 0));
	note("trunc_rdonly", open_as(TRUNC, READ, 0));
	note("append", open_as(0, WRITE, APPEND));
	note("rdwr", open_as(0, READ | WRITE, 0));
	note("wronly", open_as(0, WRITE, 0));
	note("excl", open_as(CREAT | EXCL, WRITE, 0));
	note("directory_write", open_as(DIRECTORY, READ | WRITE, 0));
	note("path_times", path_filestat_set_times(ROOT, FOLLOW, path, path_len, 0, 0, 1 | 4));
	note("rename", path_rename(ROOT, path, path_len, ROOT, other, other_len));
	note("rename_over", path_rename(ROOT, other, other_len, ROOT, path, path_len));
	note("link", path_link(ROOT, 0, path, path_len, ROOT, other, other_len));
	note("symlink", path_symlink("/etc/passwd", 11, ROOT, other, other_len));
	note("mkdir", path_create_directory(ROOT, other, other_len));
	note("unlink", path_unlink_file(ROOT, path, path_len));
	note("rmdir", path_remove_directory(ROOT, path, path_len));
	note("stat", path_filestat_get(ROOT, FOLLOW, path, path_len, stat));
	at[-1] = 0;
	at -= 1;
	static const char tail[] = "\"}],\"is_error\":false}}";
	copy(at, tail, sizeof tail);
	answer(report);
	return 0;
}
