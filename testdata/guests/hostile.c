/* hostile: misbehaves in the way that its argument "do" names. */
#include "ohhost.h"

IMPORT("wasi_snapshot_preview1", "fd_write") i32 fd_write(i32 fd, const void *iov, i32 n, u32 *written);
IMPORT("wasi_snapshot_preview1", "proc_exit") void proc_exit(i32 code) __attribute__((noreturn));
IMPORT("wasi_snapshot_preview1", "random_get") i32 random_get(void *buf, u32 len);
IMPORT("wasi_snapshot_preview1", "poll_oneoff") i32 poll_oneoff(const void *in, void *out, u32 n, u32 *events);
IMPORT("wasi_snapshot_preview1", "environ_sizes_get") i32 environ_sizes_get(u32 *count, u32 *size);
IMPORT("wasi_snapshot_preview1", "args_sizes_get") i32 args_sizes_get(u32 *count, u32 *size);

static u8 buf[1 << 16], what[64];
static volatile u32 sink;

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"hostile\",\"description\":\"Attacks the host.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{}}]}");
	return 0;
}

static void say(const char *s)
{
	const void *iov[2] = {s, (void *)(unsigned long)length(s)};
	u32 n;
	fd_write(2, iov, 1, &n);
}

static void ok(const char *text)
{
	char out[256], *at = out;
	static const char head[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", tail[] = "\"}],\"is_error\":false}}";
	copy(at, head, sizeof head - 1), at += sizeof head - 1;
	copy(at, text, length(text)), at += length(text);
	copy(at, tail, sizeof tail);
	answer(out);
}

static u32 recurse(u32 n) { return n ? recurse(n - 1) + recurse(n - 1) + sink : 1; }
static u32 deep(u32 n) { return sink + deep(n + 1) * 3; }

/* A request whose lengths lie, see the switch below. */
static i64 request(u32 header_len, u32 n, u32 attachment_len, const char *header)
{
	u32 head[3] = {header_len, n, attachment_len};
	copy(buf, head, sizeof head);
	copy(buf + 12, header, length(header));
	return oh_invoke(buf, 12 + length(header));
}

static int is(const char *name) { return same(what, name, length(name) + 1); }

EXPORT("oh_call") i32 oh_call(i32 n)
{
	u32 head[2];
	if ((u32)n > sizeof buf)
		return 1;
	read_input(buf, n);
	copy(head, buf, sizeof head);
	i32 len = member(buf + 8 + 4 * head[1], head[0], "do", what, sizeof what - 1);
	what[len < 0 ? 0 : len] = 0;

	if (is("spin"))
		for (;;)
			sink++;
	if (is("tree"))
		sink = recurse(60);
	if (is("deep"))
		sink = deep(0);
	if (is("trap")) {
		say("about to trap\n");
		__builtin_trap();
	}
	if (is("exit"))
		proc_exit(0);
	if (is("exit 3"))
		proc_exit(3);
	if (is("one"))
		return 1;
	if (is("silence"))
		return 0;
	if (is("garbage"))
		oh_output("not a frame", 11);
	if (is("short frame"))
		oh_output("\x09\0\0\0\0\0\0\0{}", 10);
	if (is("broken json"))
		answer("{\"result\":");
	if (is("two answers"))
		answer("{\"result\":{\"content\":[]},\"raised\":{\"message\":\"x\"}}");
	if (is("no answer"))
		answer("{}");
	if (is("taken field"))
		answer("{\"result\":{\"content\":[],\"fields\":{\"is_error\":1}}}");
	if (is("no attachment"))
		answer("{\"result\":{\"content\":[{\"type\":\"text\",\"attachment\":7}]}}");
	if (is("no blob"))
		answer("{\"result\":{\"content\":[],\"fields\":{\"x\":{\"$blob\":-1}}}}");
	if (is("image type"))
		answer("{\"result\":{\"content\":[{\"type\":\"image\",\"mime\":\"text/html\",\"attachment\":0}]}}");
	if (is("bad utf-8"))
		answer("{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xff" "b\"}],\"is_error\":false}}");
	if (is("output outside"))
		oh_output((void *)0xfffffff0, 32);
	if (is("output huge"))
		oh_output(buf, 0xffffffff);
	if (is("input outside"))
		oh_input((void *)0xffffff00, 0x1000);
	if (is("log outside"))
		oh_log(2, (void *)0xfffffff0, 32);
	if (is("progress outside"))
		oh_progress((void *)0xfffffff0, 32);
	if (is("invoke outside"))
		oh_invoke((void *)0xfffffff0, 32);
	if (is("flood")) {
		for (u32 i = 0; i < 100000; i++)
			oh_log(i, "line\n\x1b[31mred", 13), oh_progress("p", 1);
		for (u32 i = 0; i < 100000; i++)
			say("and on standard error\n");
		ok("flooded");
	}
	if (is("memory")) {
		u32 pages = 0;
		while (__builtin_wasm_memory_grow(0, 16) != (unsigned long)-1)
			pages += 16;
		ok(pages < 4096 ? "capped" : "not capped");
	}
	if (is("random")) {
		u32 r[2] = {0, 0};
		if (random_get(r, sizeof r) != 0 || (r[0] == 0 && r[1] == 0))
			__builtin_trap();
		ok("random");
	}
	if (is("sleep") || is("sleep and invoke")) {
		static u8 sub[48], event[32];
		i64 hour = 3600ll * 1000000000;
		sub[16] = 1; /* monotonic clock; tag 0 at offset 8 is a clock */
		copy(sub + 24, &hour, 8);
		u32 got;
		poll_oneoff(sub, event, 1, &got);
		if (is("sleep and invoke"))
			oh_invoke("x", 1);
		ok("slept");
	}
	if (is("environment")) {
		u32 count, size, args, args_size;
		if (environ_sizes_get(&count, &size) || args_sizes_get(&args, &args_size))
			__builtin_trap();
		ok(count == 0 && args == 1 ? "bare" : "leaks");
	}
	if (is("invoke")) {
		static const char unknown[] = "{\"service\":\"http\",\"op\":\"get\"}";
		int good = oh_invoke("x", 1) == -1 && oh_invoke(buf, 0) == -1 &&
			request(0xffffffff, 0, 0, "{}") == -1 && request(2, 0xffffffff, 0, "{}") == -1 &&
			request(2, 1, 0xffffffff, "{}") == -1 && request(1, 1, 0, "{") == -1 &&
			request(length(unknown), 1, 0, unknown) == -2;
		ok(good ? "refused" : "accepted");
	}
	if (is("nothing"))
		ok("nothing");
	return 0;
}
