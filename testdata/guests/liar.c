/* liar: names bytes that it does not have, and sends frames whose numbers are wrong. */
#define TOOL "liar"
#include "attack.h"

WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, void *written);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, void *got);
WASI(fd_readdir) i32 fd_readdir(i32 fd, void *buf, u32 len, i64 cookie, void *used);
WASI(fd_prestat_get) i32 fd_prestat_get(i32 fd, void *out);
WASI(fd_prestat_dir_name) i32 fd_prestat_dir_name(i32 fd, void *out, u32 len);
WASI(fd_fdstat_get) i32 fd_fdstat_get(i32 fd, void *out);
WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, void *out);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);
WASI(path_readlink) i32 path_readlink(i32 fd, const void *path, u32 len, void *buf, u32 cap, void *used);
WASI(args_get) i32 args_get(void *argv, void *buf);
WASI(args_sizes_get) i32 args_sizes_get(void *n, void *size);
WASI(environ_get) i32 environ_get(void *env, void *buf);
WASI(environ_sizes_get) i32 environ_sizes_get(void *n, void *size);
WASI(clock_time_get) i32 clock_time_get(i32 id, i64 precision, void *out);
WASI(random_get) i32 random_get(void *buf, u32 len);
WASI(poll_oneoff) i32 poll_oneoff(const void *in, void *out, u32 n, void *events);

static u8 bytes[64];

/* A place and a length that are a lie. */
struct lie {
	void *at;
	u32 len;
};
static u32 memory_end(void) { return __builtin_wasm_memory_size(0) << 16; }
static void *place(u32 at) { return (void *)(__UINTPTR_TYPE__)at; }
static struct lie beyond(void) { return (struct lie){place(memory_end() + 0x10000), 16}; }
static struct lie across(void) { return (struct lie){place(memory_end() - 8), 16}; }
static struct lie by_one(void) { return (struct lie){place(memory_end()), 1}; }
static struct lie huge(void) { return (struct lie){bytes, 0xffffffff}; }
static struct lie negative(void) { return (struct lie){place(0xfffffff8), 4}; }
static struct lie wrapped(void) { return (struct lie){place(0xfffffff0), 32}; }
static struct lie empty(void) { return (struct lie){place(0xfffffff0), 0}; } /* none is read, but it is a place outside */

#define IMPORTS(how)                                                                            \
	static void input_##how(void) { struct lie l = how(); count("input", oh_input(l.at, l.len)); } \
	static void output_##how(void) { struct lie l = how(); oh_output(l.at, l.len), say("accepted"); } \
	static void log_##how(void) { struct lie l = how(); oh_log(2, l.at, l.len), say("accepted"); } \
	static void progress_##how(void) { struct lie l = how(); oh_progress(l.at, l.len), say("accepted"); } \
	static void invoke_##how(void) { struct lie l = how(); count("invoke", oh_invoke(l.at, l.len)); }
IMPORTS(beyond)
IMPORTS(across)
IMPORTS(by_one)
IMPORTS(huge)
IMPORTS(negative)
IMPORTS(wrapped)
IMPORTS(empty)

#define FRAME(...)                              \
	{                                           \
		static const u32 frame[] = {__VA_ARGS__}; \
		oh_output(frame, sizeof frame);         \
	}
/* The one that would be right: a header of 2 bytes, "{}", and 2 bytes more. */
#define BRACES 0x7d7b
static void frame_header_long(void) FRAME(3, 0, BRACES)
static void frame_header_huge(void) FRAME(0xffffffff, 0, BRACES)
static void frame_header_limit(void) FRAME(64 << 20, 0, BRACES)
static void frame_header_empty(void) FRAME(0, 0)
static void frame_count_huge(void) FRAME(2, 0xffffffff, BRACES)
static void frame_count_wraps(void) FRAME(2, 0x40000000, BRACES) /* times 4 is 0 in 32 bits */
static void frame_count_limit(void) FRAME(2, 1 << 16, BRACES)
static void frame_count_over(void) FRAME(2, (1 << 16) + 1, BRACES)
static void frame_length_long(void) FRAME(4, 1, 1, BRACES)
static void frame_length_huge(void) FRAME(4, 1, 0xffffffff, BRACES)
static void frame_lengths_wrap(void) FRAME(4, 2, 0x80000000, 0x80000000, BRACES)
static void frame_trailing(void) FRAME(2, 0, BRACES)
static void frame_twice(void)
{
	answer("{\"raised\":{\"message\":\"one\"}}");
	answer("{\"raised\":{\"message\":\"two\"}}");
}
static void frame_none(void) { }

/* WASI calls with pointers outside, and what each says. */
static void wasi(void)
{
	void *out = place(memory_end() + 0x10000);
	u32 inside[2] = {(u32)(__UINTPTR_TYPE__)bytes, 4}, outside[2] = {memory_end() - 1, 4}, huge[2] = {(u32)(__UINTPTR_TYPE__)bytes, 0xffffffff}, n;
	u8 subscription[48] = {0};
	count("write-iovs", fd_write(2, out, 1, &n));
	count("write-iovs-count", fd_write(2, inside, 0x7fffffff, &n));
	count("write-iov", fd_write(2, outside, 1, &n));
	count("write-iov-huge", fd_write(2, huge, 1, &n));
	count("write-written", fd_write(2, inside, 1, out));
	count("read-iov", fd_read(0, outside, 1, &n));
	count("read-got", fd_read(0, inside, 1, out));
	count("readdir", fd_readdir(3, out, 64, 0, &n));
	count("readdir-huge", fd_readdir(3, bytes, 0xffffffff, 0, &n));
	count("readdir-used", fd_readdir(3, bytes, sizeof bytes, 0, out));
	count("prestat", fd_prestat_get(3, out));
	count("prestat-name", fd_prestat_dir_name(3, out, 1));
	count("prestat-name-huge", fd_prestat_dir_name(3, bytes, 0xffffffff));
	count("fdstat", fd_fdstat_get(3, out));
	count("open-path", path_open(3, 0, out, 4, 0, 2, 2, 0, &n));
	count("open-path-huge", path_open(3, 0, bytes, 0xffffffff, 0, 2, 2, 0, &n));
	count("open-result", path_open(3, 0, ".", 1, 0, 2, 2, 0, out));
	count("stat-path", path_filestat_get(3, 0, out, 4, bytes));
	count("stat-result", path_filestat_get(3, 0, ".", 1, out));
	count("readlink", path_readlink(3, ".", 1, out, 64, &n));
	count("args", args_get(out, out));
	count("args-sizes", args_sizes_get(out, out));
	count("environ", environ_get(out, out));
	count("environ-sizes", environ_sizes_get(out, out));
	count("clock", clock_time_get(1, 0, out));
	count("clock-id", clock_time_get(-1, 0, bytes));
	count("random", random_get(out, 4));
	count("random-huge", random_get(bytes, 0xffffffff));
	count("poll-in", poll_oneoff(out, bytes, 1, &n));
	count("poll-out", poll_oneoff(subscription, out, 1, &n));
	count("poll-count", poll_oneoff(subscription, bytes, 0xffffffff, &n));
	count("poll-events", poll_oneoff(subscription, bytes, 1, out));
	count("fd", fd_write(-1, inside, 1, &n));
	count("fd-large", fd_write(0x7fffffff, inside, 1, &n));
}

/* What is odd, but no lie: odd addresses, and a request where its answer goes. */
static void honest(void)
{
	static u8 around[128];
	static const char json[] = "{\"service\":\"state\",\"op\":\"list\"}";
	u32 head[2] = {sizeof json - 1, 0};
	u8 *odd = around + 1;
	copy(odd, head, sizeof head), copy(odd + sizeof head, json, sizeof json - 1);
	i64 n = oh_invoke(odd, sizeof head + sizeof json - 1);
	count("invoke", n > 0);
	count("input", oh_input(odd, sizeof around - 1) == n);
	count("end", oh_input(odd, 16));
	count("nothing", oh_input(place(memory_end()), 0));
	oh_log(2, odd, 3), oh_progress(odd, 3);
}

#define ROWS(text, how)                                                                             \
	{"input " text, input_##how}, {"output " text, output_##how}, {"log " text, log_##how},         \
	{"progress " text, progress_##how}, {"invoke " text, invoke_##how}
ATTACKS(ROWS("beyond", beyond), ROWS("across", across), ROWS("by one", by_one), ROWS("huge", huge), ROWS("negative", negative),
	ROWS("wrapped", wrapped), ROWS("empty", empty), {"header long", frame_header_long}, {"header huge", frame_header_huge},
	{"header limit", frame_header_limit}, {"header empty", frame_header_empty}, {"count huge", frame_count_huge},
	{"count wraps", frame_count_wraps}, {"count limit", frame_count_limit}, {"count over", frame_count_over},
	{"length long", frame_length_long}, {"length huge", frame_length_huge}, {"lengths wrap", frame_lengths_wrap},
	{"trailing", frame_trailing}, {"twice", frame_twice}, {"none", frame_none}, {"wasi", wasi}, {"honest", honest})
