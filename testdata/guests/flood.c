/* flood: says more than anybody wants to hear, over every way out that it has. */
#define TOOL "flood"
#include "attack.h"

WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, u32 *written);

static u8 piece[1 << 16];
static const char line[] = "a line\n\x1b[31mred\x1b[0m";

static void logs(void)
{
	for (u32 i = 0;; i++)
		oh_log(i, line, sizeof line - 1);
}

static void progress(void)
{
	for (;;)
		oh_progress(line, sizeof line - 1);
}

static void errors_to(i32 fd)
{
	u32 iov[2] = {(u32)(__UINTPTR_TYPE__)line, sizeof line - 1}, n;
	for (;;)
		fd_write(fd, iov, 1, &n);
}
static void output_stdout(void) { errors_to(1); }
static void output_stderr(void) { errors_to(2); }

/* All memory that there is to be had, in bytes, full of the letter x. */
static u32 grow(void)
{
	while (__builtin_wasm_memory_grow(0, 16) != (__SIZE_TYPE__)-1)
		;
	u32 end = __builtin_wasm_memory_size(0) << 16;
	for (u32 i = 1 << 20; i < end; i++)
		*(volatile u8 *)(__UINTPTR_TYPE__)i = 'x';
	return end;
}

static void log_all(void)
{
	u32 end = grow();
	oh_log(2, (void *)(1 << 20), end - (1 << 20));
	say("logged");
}

static void progress_all(void)
{
	u32 end = grow();
	oh_progress((void *)(1 << 20), end - (1 << 20));
	say("told");
}

static void stderr_all(void)
{
	u32 end = grow(), iov[2] = {1 << 20, end - (1 << 20)}, n = 0;
	count("errno", fd_write(2, iov, 1, &n));
	count("written", n);
}

static void output_all(void)
{
	u32 end = grow();
	oh_output((void *)(1 << 20), end - (1 << 20));
	say("output");
}

/* 1 GiB in pieces, as an attachment. */
static void output_pieces(void)
{
	static const char json[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"attachment\":0}]}}";
	u32 head[3] = {sizeof json - 1, 1, 1 << 30};
	oh_output(head, sizeof head);
	oh_output(json, sizeof json - 1);
	for (u32 i = 0; i < (1 << 30) / sizeof piece; i++)
		oh_output(piece, sizeof piece);
}

static void output_bytes(void)
{
	for (;;)
		oh_output("x", 1);
}

static void output_nothing(void)
{
	for (;;)
		oh_output("", 0);
}

static void output_length(void) { oh_output(piece, 0xffffffff); }

/* The answer is a text of 100 MB in the header. */
static void output_text(void)
{
	static const char begin[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", end[] = "\"}]}}";
	u32 pieces = 100000000 / sizeof piece, head[2] = {sizeof begin - 1 + pieces * sizeof piece + sizeof end - 1, 0};
	for (u32 i = 0; i < sizeof piece; i++)
		piece[i] = 'x';
	oh_output(head, sizeof head);
	oh_output(begin, sizeof begin - 1);
	for (u32 i = 0; i < pieces; i++)
		oh_output(piece, sizeof piece);
	oh_output(end, sizeof end - 1);
}

/* A million arrays in arrays. */
static void output_nested(void)
{
	static const char begin[] = "{\"result\":{\"content\":[],\"fields\":{\"x\":";
	u32 n = 1000000, head[2] = {sizeof begin - 1 + 2 * n + 3, 0};
	oh_output(head, sizeof head);
	oh_output(begin, sizeof begin - 1);
	for (u32 i = 0; i < n; i++)
		oh_output("[", 1);
	for (u32 i = 0; i < n; i++)
		oh_output("]", 1);
	oh_output("}}}", 3);
}

/* Requests that are refused, and one that is answered, without end. */
static void invoke_nothing(void)
{
	for (;;)
		oh_invoke(piece, 0);
}

static void invoke(void)
{
	static const char json[] = "{\"service\":\"state\",\"op\":\"list\"}";
	u32 head[2] = {sizeof json - 1, 0};
	copy(piece, head, sizeof head), copy(piece + sizeof head, json, sizeof json - 1);
	for (;;)
		oh_invoke(piece, sizeof head + sizeof json - 1);
}

ATTACKS({"log", logs}, {"log all", log_all}, {"progress", progress}, {"progress all", progress_all}, {"stdout", output_stdout},
	{"stderr", output_stderr}, {"stderr all", stderr_all}, {"output all", output_all}, {"output pieces", output_pieces},
	{"output bytes", output_bytes}, {"output nothing", output_nothing}, {"output length", output_length}, {"output text", output_text},
	{"output nested", output_nested}, {"invoke nothing", invoke_nothing}, {"invoke", invoke})
