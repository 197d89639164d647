/* word_count: counts the words of a file. It reads the file through the service
 * "files", as text, and passes a refusal on. */
#include "ohhost.h"

static const char description[] =
	"{\"abi\":\"ohhost_v1\",\"tools\":[{\"name\":\"word_count\",\"title\":\"Word count\","
	"\"description\":\"Counts the words of a text file. The working directory is {{cwd}}.\","
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"],"
	"\"additionalProperties\":false},"
	"\"annotations\":{\"readOnlyHint\":true},\"needs\":{\"files\":\"read\"}}]}";

static u8 buf[1 << 20], request[8192], path[4096];

EXPORT("oh_describe") i32 oh_describe(void)
{
	answer(description);
	return 0;
}

/* Appends a number in decimal. */
static char *decimal(char *at, u32 v)
{
	char digits[10];
	u32 n = 0;
	do
		digits[n++] = '0' + v % 10;
	while (v /= 10);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *append(char *at, const char *s)
{
	u32 n = length(s);
	copy(at, s, n);
	return at + n;
}

/* Sends {"service":"files","op":"read","decode":true} with the path as its
 * attachment, and reads the answer to buf. Returns its length or the refusal. */
static i64 read_text(u32 path_len)
{
	static const char header[] = "{\"service\":\"files\",\"op\":\"read\",\"decode\":true,\"max\":1000000}";
	u32 head[3] = {sizeof header - 1, 1, path_len};
	u32 n = 0;
	copy(request, head, sizeof head), n += sizeof head;
	copy(request + n, header, head[0]), n += head[0];
	copy(request + n, path, path_len), n += path_len;
	i64 len = oh_invoke(request, n);
	if (len < 0 || len > (i64)sizeof buf)
		return -1;
	read_input(buf, (u32)len);
	return len;
}

EXPORT("oh_call") i32 oh_call(i32 n)
{
	char out[256], *at = out;
	u32 head[2];

	if (n < 8 || (u32)n > sizeof buf)
		return 1;
	read_input(buf, n);
	copy(head, buf, sizeof head);
	const u8 *json = buf + 8 + 4 * head[1];
	u8 op[8];
	if (member(json, head[0], "op", op, sizeof op) == 4 && same(op, "keys", 4)) {
		answer("{\"keys\":[]}");
		return 0;
	}
	i32 path_len = member(json, head[0], "path", path, sizeof path);
	if (path_len < 0) {
		answer("{\"raised\":{\"message\":\"no path\"}}");
		return 0;
	}

	oh_log(2, "counting", 8);
	oh_progress("reading", 7);
	if (read_text(path_len) < 0) {
		answer("{\"raised\":{\"message\":\"the files service refused the request\"}}");
		return 0;
	}
	copy(head, buf, sizeof head);
	json = buf + 8 + 4 * head[1];
	u8 kind[16];
	i32 kind_len = member(json, head[0], "kind", kind, sizeof kind);
	if (kind_len == 6 && same(kind, "denied", 6)) {
		answer("{\"denied\":{\"path\":\"\",\"why\":\"the files service refused\"}}");
		return 0;
	}
	if (kind_len >= 0 || head[1] == 0) {
		answer("{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"the file cannot be read\"}],\"is_error\":true}}");
		return 0;
	}

	u32 text_len, words = 0, in_word = 0;
	copy(&text_len, buf + 8, sizeof text_len);
	const u8 *text = json + head[0];
	for (u32 i = 0; i < text_len; i++) {
		u32 blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t';
		words += !blank && !in_word;
		in_word = !blank;
	}
	at = append(at, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
	at = decimal(at, words);
	at = append(at, " words\"}],\"fields\":{\"words\":");
	at = decimal(at, words);
	at = append(at, "},\"is_error\":false}}");
	*at = 0;
	answer(out);
	return 0;
}
