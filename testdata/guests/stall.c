/* stall: has the host work or wait for it, over WASI. */
#define TOOL "stall"
#include "attack.h"

WASI(fd_write) i32 fd_write(i32 fd, const void *iov, i32 n, u32 *written);
WASI(fd_read) i32 fd_read(i32 fd, const void *iov, i32 n, u32 *got);
WASI(path_open) i32 path_open(i32 fd, i32 dirflags, const void *path, u32 len, i32 oflags, i64 rights, i64 inheriting, i32 fdflags, i32 *out);
WASI(path_filestat_get) i32 path_filestat_get(i32 fd, i32 flags, const void *path, u32 len, void *out);
WASI(random_get) i32 random_get(void *buf, u32 len);
WASI(poll_oneoff) i32 poll_oneoff(const void *in, void *out, u32 n, u32 *events);

enum { START = 1 << 20, MILLION = 1000000, HOUR = 3600 };

static void *place(u32 at) { return (void *)(__UINTPTR_TYPE__)at; }

/* All memory that there is to be had, from START on, in bytes. */
static u32 grow(void)
{
	while (__builtin_wasm_memory_grow(0, 16) != (__SIZE_TYPE__)-1)
		;
	return (__builtin_wasm_memory_size(0) << 16) - START;
}

/* A subscription to a clock: that of the wall is 0, the monotonic one 1. */
static void clock_at(u8 *sub, i32 id, i64 seconds, int absolute)
{
	i64 ns = seconds * 1000000000;
	for (u32 i = 0; i < 48; i++)
		sub[i] = 0; /* the tag at offset 8: a clock */
	sub[16] = id;
	sub[40] = absolute;
	copy(sub + 24, &ns, sizeof ns);
}

static void sleep_on(i32 id, i64 seconds, int absolute)
{
	u8 sub[48], event[32];
	u32 n = 0;
	clock_at(sub, id, seconds, absolute);
	count("errno", poll_oneoff(sub, event, 1, &n));
	count("events", n);
}
static void sleep_hour(void) { sleep_on(1, HOUR, 0); }
static void sleep_wall(void) { sleep_on(0, HOUR, 0); }
static void sleep_absolute(void) { sleep_on(1, 9000000000, 1); }

static void sleep_million(void)
{
	u32 n = 0;
	grow();
	for (u32 i = 0; i < MILLION; i++)
		clock_at(place(START + 48 * i), 1, HOUR, 0);
	count("errno", poll_oneoff(place(START), place(START + 48 * MILLION), MILLION, &n));
	count("events", n);
}

/* Short sleeps without end. */
static void sleep_naps(void)
{
	u8 sub[48], event[32];
	u32 n;
	clock_at(sub, 1, 0, 0);
	for (;;)
		poll_oneoff(sub, event, 1, &n);
}

/* Waits for standard input, which is empty. */
static void wait_input(void)
{
	u8 sub[48] = {0}, event[32];
	u32 n = 0;
	sub[8] = 1; /* fd_read */
	count("errno", poll_oneoff(sub, event, 1, &n));
	count("events", n);
}

static void random_all(void)
{
	u32 n = grow();
	count("errno", random_get(place(START), n));
}

static void random_for_ever(void)
{
	u32 n = grow();
	for (;;)
		random_get(place(START), n);
}

/* A million buffers, of one byte, or of all memory each: as many bytes as they say
 * would be 250 TB. */
static void vectors(u32 len)
{
	u32 *iov = place(START), size = grow();
	for (u32 i = 0; i < 2 * MILLION; i += 2) {
		iov[i] = START;
		iov[i + 1] = len ? len : size;
	}
}

static void write_vectors(u32 len)
{
	u32 n = 0;
	vectors(len);
	count("errno", fd_write(2, place(START), MILLION, &n));
	count("written", n);
}
static void write_small(void) { write_vectors(1); }
static void write_large(void) { write_vectors(0); }

/* Reads the file "path" into a million buffers. */
static void read_vectors(u32 len)
{
	i32 fd = 0;
	u32 n = 0;
	vectors(len);
	if (path_len)
		count("open", path_open(3, 1, path, path_len, 0, 2, 2, 0, &fd));
	count("errno", fd_read(fd, place(START), MILLION, &n));
	count("read", n);
}
static void read_small(void) { read_vectors(1); }
static void read_large(void) { read_vectors(0); }

/* Paths as long as the memory, and of 5000 bytes without end. */
static void path_all(void)
{
	u8 stat[64];
	u32 n = grow();
	for (u32 i = 0; i < n; i++)
		*(volatile u8 *)place(START + i) = i % 2 ? '/' : 'x';
	count("errno", path_filestat_get(3, 1, place(START), n, stat));
}

static void paths(void)
{
	u8 stat[64];
	for (u32 i = 0; i < 5000; i++)
		path[i] = i % 2 ? '/' : '.';
	for (;;)
		path_filestat_get(3, 1, path, 5000, stat);
}

ATTACKS({"sleep", sleep_hour}, {"sleep wall", sleep_wall}, {"sleep absolute", sleep_absolute}, {"sleep million", sleep_million},
	{"naps", sleep_naps}, {"wait", wait_input}, {"random", random_all}, {"random for ever", random_for_ever}, {"write small", write_small},
	{"write large", write_large}, {"read small", read_small}, {"read large", read_large}, {"path", path_all}, {"paths", paths})
