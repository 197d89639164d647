/* spin: takes the processor and does not give it back: by loops of every shape, by
 * calls without loops, by operations that are long in themselves. */
#define TOOL "spin"
#include "attack.h"

WASI(clock_time_get) i32 clock_time_get(i32 id, i64 precision, i64 *out);
WASI(sched_yield) i32 sched_yield(void);

#define NOINLINE __attribute__((noinline))
static volatile u32 sink;

static void loop(void)
{
	for (;;)
		__asm__ volatile("");
}

static void stores(void)
{
	for (u32 i = 0;; i++)
		((volatile u8 *)input)[i % sizeof input] = i;
}

NOINLINE static void callee(u32 n) { sink = n; }

static void calls(void)
{
	for (u32 i = 0;; i++)
		callee(i);
}

/* The cases do not fold into a table of values, so that clang makes a br_table. */
static void switches(void)
{
	for (u32 i = sink;;) {
		switch (i % 16) {
		case 0: i += 3; sink = 1; break;
		case 1: i ^= 5; sink = 7; break;
		case 2: i += 7; callee(i); break;
		case 3: i *= 3; sink = 2; break;
		case 4: i -= 2; callee(1); break;
		case 5: i += 9; sink = i; break;
		case 6: i ^= 8; callee(3); break;
		case 7: i += 4; sink = 4; break;
		case 8: i *= 5; callee(i); break;
		default: i++;
		}
	}
}

static u32 plus(u32 n) { return n + sink; }
static u32 minus(u32 n) { return n - sink; }
static u32 (*const volatile pointers[])(u32) = {plus, minus};

static void indirect(void)
{
	for (u32 i = 0;; i++)
		sink = pointers[i % 2](i);
}

static u32 odd(u32 n);
NOINLINE static u32 even(u32 n) { __attribute__((musttail)) return odd(n + sink); }
NOINLINE static u32 odd(u32 n) { __attribute__((musttail)) return even(n + 1); }
static void tail(void) { sink = even(0); }

static u32 tail_through_table(u32 n);
static u32 (*const volatile tail_pointer)(u32) = tail_through_table;
NOINLINE static u32 tail_through_table(u32 n) { __attribute__((musttail)) return tail_pointer(n + 1); }
static void tail_indirect(void) { sink = tail_through_table(0); }

static void host(void)
{
	for (;;)
		oh_input(input, 0);
}

static void clocks(void)
{
	i64 now;
	for (;;)
		clock_time_get(1, 0, &now);
}

static void yields(void)
{
	for (;;)
		sched_yield();
}

/* All memory that there is to be had, in bytes. */
static u32 grow(void)
{
	while (__builtin_wasm_memory_grow(0, 16) != (__SIZE_TYPE__)-1)
		;
	return __builtin_wasm_memory_size(0) << 16;
}

static void zeroes(void)
{
	u32 end = grow();
	for (;;)
		for (u32 i = 1 << 20; i < end; i += 8) /* what is below are our own variables */
			*(volatile i64 *)(__UINTPTR_TYPE__)i = 0;
}

static void fill(void)
{
	u32 end = grow();
	for (;;)
		__builtin_memset((void *)(1 << 20), 7, end - (1 << 20));
}

static void copies(void)
{
	u32 end = grow(), half = (end - (1 << 20)) / 2;
	for (;;)
		__builtin_memmove((void *)(1 << 20), (void *)(__UINTPTR_TYPE__)((1 << 20) + half), half);
}

/* 3 to the power of n calls, no loop. */
NOINLINE static u32 tree(u32 n) { return n ? tree(n - 1) + tree(n - 1) * 3 + tree(n - 1) + sink : 1; }
static void tree_direct(void) { sink = tree(60); }

static u32 branch(u32 n);
static u32 (*const volatile branch_pointer)(u32) = branch;
static u32 branch(u32 n) { return n ? branch_pointer(n - 1) + branch_pointer(n - 1) * 3 + branch_pointer(n - 1) : 1; }
static void tree_indirect(void) { sink = branch(60); }

NOINLINE static u32 tree_with_host(u32 n)
{
	oh_input(input, 0);
	return n ? tree_with_host(n - 1) + tree_with_host(n - 1) * 3 + tree_with_host(n - 1) + sink : 1;
}
static void tree_host(void) { sink = tree_with_host(60); }

NOINLINE static u32 deeper(u32 n) { return sink + deeper(n + 1) * 3; }
static void deep(void) { sink = deeper(0); }

static u32 mutual_a(u32 n);
static u32 mutual_b(u32 n);
static u32 (*const volatile mutual[])(u32) = {mutual_a, mutual_b};
static u32 mutual_a(u32 n) { return sink + mutual[1](n + 1) * 3; }
static u32 mutual_b(u32 n) { return sink + mutual[0](n + 1) * 5; }
static void deep_mutual(void) { sink = mutual_a(0); }

NOINLINE static u32 deeper_with_host(u32 n)
{
	oh_log(0, "deeper", 6);
	oh_input(input, 0);
	return sink + deeper_with_host(n + 1) * 3;
}
static void deep_host(void) { sink = deeper_with_host(0); }

/* Frames of 8 KiB each on the stack that C keeps in memory: it runs into the data. */
NOINLINE static u32 deeper_in_memory(u32 n)
{
	volatile u8 frame[8192];
	frame[n % sizeof frame] = n;
	return frame[sink % sizeof frame] + deeper_in_memory(n + 1) * 3;
}
static void deep_memory(void) { sink = deeper_in_memory(0); }

ATTACKS({"loop", loop}, {"stores", stores}, {"calls", calls}, {"switch", switches}, {"indirect", indirect}, {"tail", tail},
	{"tail indirect", tail_indirect}, {"host", host}, {"clocks", clocks}, {"yields", yields}, {"zeroes", zeroes}, {"fill", fill},
	{"copy", copies}, {"tree", tree_direct}, {"tree indirect", tree_indirect}, {"tree host", tree_host}, {"deep", deep},
	{"deep mutual", deep_mutual}, {"deep host", deep_host}, {"deep memory", deep_memory})
