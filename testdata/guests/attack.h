/* A guest that attacks in the way its argument "do" names. Such a guest defines
 * TOOL, includes this file, and ends with the table of its attacks:
 *
 *	ATTACKS({"name", function}, ...)
 *
 * An attack that comes back is answered with what it has said with say and count, or
 * has answered itself if that is nothing; a name that is not in the table is answered
 * with a failure: a test cannot mistake it. */
#ifndef ATTACK_H
#define ATTACK_H
#include "ohhost.h"

#define WASI(name) IMPORT("wasi_snapshot_preview1", #name)

struct attack {
	const char *name;
	void (*run)(void);
};
static const struct attack *find(const u8 *name);

static u8 input[1 << 16], path[8192]; /* path is the argument of that name */
static u32 path_len;
static const u8 *header;
static u32 header_len;
static char said[1 << 16];
static u32 said_len;

/* Copies an argument to out; its length, 0 where it is not given. */
static u32 argument(const char *name, u8 *out, u32 cap)
{
	i32 len = member(header, header_len, name, out, cap);
	return len < 0 ? 0 : len;
}

static void say_bytes(const void *bytes, u32 n)
{
	for (u32 i = 0; i < n && said_len < sizeof said; i++) {
		u8 c = ((const u8 *)bytes)[i];
		said[said_len++] = c < ' ' || c > '~' || c == '"' || c == '\\' ? '.' : c; /* as JSON takes it */
	}
}

static void say(const char *s) { say_bytes(s, length(s)); }

/* Says "name=value ". */
static void count(const char *name, i64 value)
{
	char digits[24];
	u32 n = sizeof digits;
	unsigned long long v = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
	digits[--n] = ' ';
	do
		digits[--n] = '0' + v % 10;
	while (v /= 10);
	if (value < 0)
		digits[--n] = '-';
	say(name), say("="), say_bytes(digits + n, sizeof digits - n);
}

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer("{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"" TOOL "\",\"description\":\"Attacks the host.\","
	       "\"inputSchema\":{\"type\":\"object\"},\"annotations\":{},\"needs\":{\"files\":\"write\",\"state\":true}}]}");
	return 0;
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	static const char begin[] = "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", end[] = "\"}],\"is_error\":false}}";
	u8 name[64];
	u32 head[2];
	if ((u32)n > sizeof input)
		return 2;
	read_input(input, n);
	copy(head, input, sizeof head);
	header = input + 8 + 4 * head[1], header_len = head[0];
	name[argument("do", name, sizeof name - 1)] = 0;
	path_len = argument("path", path, sizeof path);
	const struct attack *a = find(name);
	if (!a) {
		answer("{\"raised\":{\"message\":\"no such attack\"}}");
		return 0;
	}
	a->run();
	if (said_len == 0)
		return 0;
	while (said_len && said[said_len - 1] == ' ')
		said_len--;
	head[0] = sizeof begin - 1 + said_len + sizeof end - 1;
	head[1] = 0;
	oh_output(head, sizeof head);
	oh_output(begin, sizeof begin - 1);
	oh_output(said, said_len);
	oh_output(end, sizeof end - 1);
	return 0;
}

#define ATTACKS(...)                                                          \
	static const struct attack attacks[] = {__VA_ARGS__};                     \
	static const struct attack *find(const u8 *name)                          \
	{                                                                         \
		for (u32 i = 0; i < sizeof attacks / sizeof *attacks; i++)            \
			if (same(name, attacks[i].name, length(attacks[i].name) + 1))     \
				return attacks + i;                                           \
		return 0;                                                             \
	}

#endif
