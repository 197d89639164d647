/* The contract of ohhost_v1 (package abi) for a guest in freestanding C. */
#ifndef OHHOST_H
#define OHHOST_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef long long i64;

#define IMPORT(module, name) __attribute__((import_module(module), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

IMPORT("ohhost_v1", "input") i32 oh_input(void *ptr, u32 cap);
IMPORT("ohhost_v1", "output") void oh_output(const void *ptr, u32 len);
IMPORT("ohhost_v1", "log") void oh_log(i32 level, const void *ptr, u32 len);
IMPORT("ohhost_v1", "progress") void oh_progress(const void *ptr, u32 len);
IMPORT("ohhost_v1", "invoke") i64 oh_invoke(const void *ptr, u32 len);

static u32 length(const char *s)
{
	u32 n = 0;
	while (s[n])
		n++;
	return n;
}

static void copy(void *to, const void *from, u32 n)
{
	for (u32 i = 0; i < n; i++)
		((u8 *)to)[i] = ((const u8 *)from)[i];
}

static int same(const u8 *a, const char *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (a[i] != (u8)b[i])
			return 0;
	return 1;
}

/* A header without attachments: two numbers and the JSON. wasm is little-endian. */
static void answer(const char *json)
{
	u32 head[2] = {length(json), 0};
	oh_output(head, sizeof head);
	oh_output(json, head[0]);
}

/* Reads all input that waits, n bytes, to buf. */
static void read_input(u8 *buf, u32 n)
{
	u32 have = 0;
	while (have < n) {
		i32 got = oh_input(buf + have, n - have);
		if (got <= 0)
			__builtin_trap();
		have += got;
	}
}

/* The value of a string member of a JSON header, copied to out with its escapes
 * \" \\ \/ resolved. Enough for the flat arguments of these guests. Returns its
 * length, or -1 where there is no such member. */
static i32 member(const u8 *json, u32 n, const char *key, u8 *out, u32 cap)
{
	u32 k = length(key);
	for (u32 i = 0; i + k + 3 < n; i++) {
		if (json[i] != '"' || !same(json + i + 1, key, k) || json[i + 1 + k] != '"' || json[i + 2 + k] != ':')
			continue;
		i += k + 3;
		while (i < n && json[i] == ' ')
			i++;
		if (i >= n || json[i] != '"')
			return -1;
		u32 len = 0;
		for (i++; i < n && json[i] != '"' && len < cap; i++) {
			if (json[i] == '\\')
				i++;
			out[len++] = json[i];
		}
		return len;
	}
	return -1;
}

#endif
