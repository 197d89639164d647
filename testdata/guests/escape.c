/* escape: tries to get out of what it was granted, over WASI and over the service
 * "files", and says what came of each try: an errno (0 is success) or the kind of the
 * refusal, and behind it what it has read. Its arguments: "path", what it is after;
 * "in", a directory that it was granted; both without the first slash. */
#define TOOL "escape"
#include "attack.h"

WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
WASI(fd_close) i32 fd_close(i32 fd);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, u32 *got);
WASI(fd_renumber) i32 fd_renumber(i32 from, i32 to);
WASI(fd_prestat_get) i32 fd_prestat_get(i32 fd, void *out);
WASI(fd_prestat_dir_name) i32 fd_prestat_dir_name(i32 fd, void *out, u32 len);
WASI(path_create_directory) i32 path_create_directory(i32 fd, const void *path, u32 len);
WASI(path_remove_directory) i32 path_remove_directory(i32 fd, const void *path, u32 len);
WASI(path_unlink_file) i32 path_unlink_file(i32 fd, const void *path, u32 len);
WASI(path_rename) i32 path_rename(i32 fd, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_link) i32 path_link(i32 fd, i32 flags, const void *path, u32 len, i32 to, const void *new, u32 new_len);
WASI(path_symlink) i32 path_symlink(const void *target, u32 target_len, i32 fd, const void *path, u32 len);
WASI(path_readlink) i32 path_readlink(i32 fd, const void *path, u32 len, void *buf, u32 cap, u32 *used);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);

enum { ROOT = 3, FOLLOW = 1, CREAT = 1, DIRECTORY = 2, EXCL = 4, TRUNC = 8, READ = 2, WRITE = 64, LIST = 1 << 14 };

/* Bytes put together. */
static u8 made[1 << 17];
static u32 made_len;
static void make(const char *s) { copy(made + made_len, s, length(s)), made_len += length(s); }
static void make_bytes(const u8 *b, u32 n) { copy(made + made_len, b, n), made_len += n; }
static void make_times(const char *s, u32 n)
{
	while (n--)
		make(s);
}
static void make_argument(const char *name) { made_len += argument(name, made + made_len, 8192); }

/* Opens a path from a directory and reads what it gets. */
static void open_from(const char *name, i32 dir, const void *p, u32 len, i32 oflags, i64 rights)
{
	u8 got[64];
	u32 iov[2] = {(u32)(__UINTPTR_TYPE__)got, sizeof got}, n = 0;
	i32 fd = -1, errno = path_open(dir, FOLLOW, p, len, oflags, rights, rights, 0, &fd);
	count(name, errno);
	if (errno)
		return;
	if (rights & WRITE) {
		static const char text[] = "STOLEN";
		u32 out[2] = {(u32)(__UINTPTR_TYPE__)text, sizeof text - 1};
		count("write", fd_write(fd, out, 1, &n));
	}
	if (fd_read(fd, iov, 1, &n) == 0)
		say("read:"), say_bytes(got, n), say(" ");
	fd_close(fd);
}

/* Opens what was made. */
static void try(const char *name)
{
	open_from(name, ROOT, made, made_len, 0, READ);
	made_len = 0;
}

/* The same place by other names, and what only looks like a path. */
static void names(void)
{
	static const u8 nul[] = {0};
	make_argument("path"), try("plain");
	make("/"), make_argument("path"), try("absolute");
	make("//"), make_argument("path"), try("absolute-twice");
	make_times("../", 40), make_argument("path"), try("up");
	make_argument("in"), make("/"), make_times("../", 40), make_argument("path"), try("in-up");
	make_argument("in"), make("/."), make_times("/./..", 40), make("/"), make_argument("path"), try("in-dots-up");
	make_argument("in"), make("/none/"), make_times("../", 40), make_argument("path"), try("none-up");
	make_argument("path"), make("/"), try("slash");
	make_argument("path"), make("/."), try("slash-dot");
	make_argument("in"), make("/\\..\\..\\"), make_argument("path"), try("backslash");
	make_argument("path"), make_bytes(nul, 1), try("nul");
	make_argument("in"), make_bytes(nul, 1), make("/../../../"), make_argument("path"), try("nul-up");
	make("proc/self/root/"), make_argument("path"), try("proc-root");
	make("proc/self/environ"), try("proc-environ");
	make("proc/self/mem"), try("proc-mem");
	make("dev/fd/0"), try("dev-fd");
	make(""), try("empty");
	make("."), try("dot");
	make(".."), try("dot-dot");
}

/* Names of every length. */
static void lengths(void)
{
	static const struct {
		const char *name;
		u32 n;
	} all[] = {{"255", 255}, {"256", 256}, {"4095", 4095}, {"4096", 4096}, {"5000", 5000}, {"65536", 65536}};
	for (u32 i = 0; i < sizeof all / sizeof *all; i++)
		make_times("n", all[i].n), try(all[i].name);
	make_times("d/", 2500), try("deep");
	make_times("../", 20000), try("up");
	make("\xff\xfe"), try("bytes");
}

/* Opens "path" for what a reader may not do. */
static void open_to_write(void)
{
	open_from("create", ROOT, path, path_len, CREAT, READ);
	open_from("create-truncate", ROOT, path, path_len, CREAT | TRUNC, READ);
	open_from("truncate", ROOT, path, path_len, TRUNC, READ);
	open_from("exclusive", ROOT, path, path_len, CREAT | EXCL, READ | WRITE);
	open_from("write", ROOT, path, path_len, 0, WRITE);
	open_from("read-write", ROOT, path, path_len, 0, READ | WRITE);
	open_from("write-truncate", ROOT, path, path_len, CREAT | TRUNC, READ | WRITE);
	open_from("rights", ROOT, path, path_len, 0, -1);
}

/* Links, and what hides behind their names; the link "in"/escape is made for it. */
static void links(void)
{
	static u8 link[8192 + 16];
	u8 to[256];
	u32 n = argument("in", link, 8192), used = 0;
	copy(link + n, "/escape", 7), n += 7;
	make("/"), make_argument("path");
	count("symlink-absolute", path_symlink(made, made_len, ROOT, link, n)), made_len = 0;
	open_from("follow-absolute", ROOT, link, n, 0, READ);
	make_times("../", 40), make_argument("path");
	count("symlink-relative", path_symlink(made, made_len, ROOT, link, n)), made_len = 0;
	open_from("follow-relative", ROOT, link, n, 0, READ);
	count("symlink-proc", path_symlink("/proc/self/root", 15, ROOT, link, n));
	count("link", path_link(ROOT, 0, path, path_len, ROOT, link, n));
	count("link-follow", path_link(ROOT, FOLLOW, path, path_len, ROOT, link, n));
	count("link-out", path_link(ROOT, 0, link, n, ROOT, path, path_len));
	open_from("follow-link", ROOT, link, n, 0, READ);
	count("rename-in", path_rename(ROOT, path, path_len, ROOT, link, n));
	count("rename-out", path_rename(ROOT, link, n, ROOT, path, path_len));
	open_from("follow-renamed", ROOT, link, n, 0, READ);
	count("readlink", path_readlink(ROOT, path, path_len, to, sizeof to, &used));
	say_bytes(to, used), say(" ");
}

/* Removing and making outside. */
static void changes(void)
{
	u8 stat[64];
	count("unlink", path_unlink_file(ROOT, path, path_len));
	count("rmdir", path_remove_directory(ROOT, path, path_len));
	make_argument("path"), make(".d");
	count("mkdir", path_create_directory(ROOT, made, made_len)), made_len = 0;
	count("stat", path_filestat_get(ROOT, FOLLOW, path, path_len, stat));
}

/* Starts from an opened directory, and puts it in the root's place. */
static void directories(void)
{
	static u8 in[8192];
	u32 n = argument("in", in, sizeof in);
	i32 fd = -1;
	count("open", path_open(ROOT, FOLLOW, in, n, DIRECTORY, READ | LIST, READ, 0, &fd));
	make_times("../", 40), make_argument("path"), open_from("up", fd, made, made_len, 0, READ), made_len = 0;
	make("/"), make_argument("path"), open_from("absolute", fd, made, made_len, 0, READ), made_len = 0;
	open_from("dot-dot", fd, "..", 2, DIRECTORY, READ);
	open_from("name", fd, path, path_len, 0, READ);
	count("renumber-root", fd_renumber(fd, ROOT));
	make_times("../", 40), make_argument("path"), open_from("root-up", ROOT, made, made_len, 0, READ), made_len = 0;
	make_argument("path"), open_from("root-name", ROOT, made, made_len, 0, READ), made_len = 0;
	count("close-root", fd_close(ROOT));
	make_argument("path"), open_from("closed-root", ROOT, made, made_len, 0, READ), made_len = 0;
}

/* Numbers of files that it was not given, or that are moved about. */
static void numbers(void)
{
	u8 out[8];
	static u8 name[64];
	for (i32 fd = -1; fd < 8; fd++) {
		i32 errno = fd_prestat_get(fd, out);
		count("prestat", errno);
		if (errno == 0) {
			u32 n;
			copy(&n, out + 4, sizeof n);
			count("length", n);
			count("short", fd_prestat_dir_name(fd, name, n - 1));
			count("long", fd_prestat_dir_name(fd, name, sizeof name));
			count("name", fd_prestat_dir_name(fd, name, n));
			say_bytes(name, n), say(" ");
		}
	}
	count("stdin", fd_renumber(ROOT, 0));
	count("far", fd_renumber(ROOT, 1 << 30));
	count("negative", fd_renumber(ROOT, -1));
	count("none", fd_renumber(77, 78));
	count("self", fd_renumber(ROOT, ROOT));
	for (i32 fd = 4; fd < 64; fd++) { /* what the host itself has open */
		u32 iov[2] = {(u32)(__UINTPTR_TYPE__)name, sizeof name}, n;
		if (fd_read(fd, iov, 1, &n) == 0)
			count("read", fd);
	}
}

/* Sends a request of the service with the given attachments, and says what came. */
static void request(const char *name, const char *json, const u8 *one, u32 one_len, const u8 *two, u32 two_len)
{
	static u8 frame[1 << 17];
	u32 head[4] = {length(json), two ? 2 : 1, one_len, two_len}, n = two ? 16 : 12;
	copy(frame, head, n);
	copy(frame + n, json, head[0]), n += head[0];
	copy(frame + n, one, one_len), n += one_len;
	copy(frame + n, two, two_len), n += two_len;
	i64 got = oh_invoke(frame, n);
	say(name), say("=");
	if (got < 0 || got > (i64)sizeof frame) {
		count("refused", got);
		return;
	}
	read_input(frame, (u32)got);
	copy(head, frame, sizeof head);
	u8 kind[32];
	i32 len = member(frame + 8 + 4 * head[1], head[0], "kind", kind, sizeof kind);
	if (len >= 0)
		say_bytes(kind, len);
	else
		say("0");
	say(" ");
	if (len < 0 && head[1] > 0)
		say("read:"), say_bytes(frame + 8 + 4 * head[1] + head[0], head[2] < 64 ? head[2] : 64), say(" ");
}

static void ask(const char *name)
{
	request(name, "{\"service\":\"files\",\"op\":\"read\"}", made, made_len, 0, 0);
	made_len = 0;
}

/* The same through "files": paths are absolute there. */
static void files(void)
{
	static const u8 nul[] = {0};
	make("/"), make_argument("path"), ask("plain");
	make("//"), make_argument("path"), ask("slashes");
	make("/"), make_argument("in"), make("/"), make_times("../", 40), make_argument("path"), ask("in-up");
	make("/"), make_argument("in"), make("/none/"), make_times("../", 40), make_argument("path"), ask("none-up");
	make_argument("path"), ask("relative");
	make_times("../", 40), make_argument("path"), ask("up");
	make("/"), make_argument("path"), make_bytes(nul, 1), ask("nul");
	make("/"), make_argument("path"), make("/."), ask("slash-dot");
	make("/proc/self/root/"), make_argument("path"), ask("proc-root");
	make("/proc/self/environ"), ask("proc-environ");
	make("/dev/fd/0"), ask("dev-fd");
	make(""), ask("empty");
	make("/"), make_times("n", 5000), ask("long");
	make("/\xff\xfe"), ask("bytes");
	make("/"), make_argument("path");
	request("stat", "{\"service\":\"files\",\"op\":\"stat\",\"follow\":true}", made, made_len, 0, 0);
	request("list", "{\"service\":\"files\",\"op\":\"list\"}", made, made_len, 0, 0);
	request("realpath", "{\"service\":\"files\",\"op\":\"realpath\"}", made, made_len, 0, 0);
	request("put", "{\"service\":\"files\",\"op\":\"apply\",\"changes\":[{\"op\":\"put\",\"path\":0,\"data\":1}]}", made, made_len, (const u8 *)"STOLEN", 6);
	request("delete", "{\"service\":\"files\",\"op\":\"apply\",\"changes\":[{\"op\":\"delete\",\"path\":0}]}", made, made_len, 0, 0);
	u32 from = made_len;
	make("/"), make_argument("in"), make("/escape");
	request("move-in", "{\"service\":\"files\",\"op\":\"apply\",\"changes\":[{\"op\":\"move\",\"path\":0,\"to\":1}]}", made, from, made + from, made_len - from);
	request("move-out", "{\"service\":\"files\",\"op\":\"apply\",\"changes\":[{\"op\":\"move\",\"path\":1,\"to\":0}]}", made, from, made + from, made_len - from);
	made_len = from, make(".d");
	request("mkdir", "{\"service\":\"files\",\"op\":\"apply\",\"changes\":[{\"op\":\"mkdir\",\"path\":0}]}", made, made_len, 0, 0);
	made_len = 0;
}

/* Names of state that would be files elsewhere. */
static void state(void)
{
	request("put-up", "{\"service\":\"state\",\"op\":\"put\",\"name\":\"../../escape\"}", (const u8 *)"STOLEN", 6, 0, 0);
	request("put-absolute", "{\"service\":\"state\",\"op\":\"put\",\"name\":\"/tmp/escape\"}", (const u8 *)"STOLEN", 6, 0, 0);
	request("put-dot", "{\"service\":\"state\",\"op\":\"put\",\"name\":\"..\"}", (const u8 *)"STOLEN", 6, 0, 0);
	request("put-empty", "{\"service\":\"state\",\"op\":\"put\",\"name\":\"\"}", (const u8 *)"STOLEN", 6, 0, 0);
	request("get-up", "{\"service\":\"state\",\"op\":\"get\",\"name\":\"../../../../../../../../etc/passwd\"}", 0, 0, 0, 0);
	request("delete-up", "{\"service\":\"state\",\"op\":\"delete\",\"name\":\"../undo\"}", 0, 0, 0, 0);
}

ATTACKS({"names", names}, {"lengths", lengths}, {"write", open_to_write}, {"links", links}, {"changes", changes},
	{"directories", directories}, {"numbers", numbers}, {"files", files}, {"state", state})
