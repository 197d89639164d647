/* greedy: takes memory, its own and the host's. */
#define TOOL "greedy"
#include "attack.h"

__asm__(".tabletype __indirect_function_table, funcref");

/* table.grow, 4.4.6: how many elements there were, or -1. */
static i32 table_grow(u32 n)
{
	i32 old;
	__asm__ volatile("ref.null_func\n\tlocal.get %1\n\ttable.grow __indirect_function_table\n\tlocal.set %0" : "=r"(old) : "r"(n));
	return old;
}

static u32 table_size(void)
{
	u32 n;
	__asm__ volatile("table.size __indirect_function_table\n\tlocal.set %0" : "=r"(n));
	return n;
}

static void table_fill(u32 n)
{
	__asm__ volatile("i32.const 0\n\tref.null_func\n\tlocal.get %0\n\ttable.fill __indirect_function_table" : : "r"(n));
}

static void tables(void)
{
	count("grown", table_grow(100000000));
	count("size", table_size());
}

static void tables_in_steps(void)
{
	u32 steps = 0;
	while (table_grow(1000) != -1)
		steps++;
	count("steps", steps);
	count("size", table_size());
}

/* Goes on when it gets no more. */
static void tables_for_ever(void)
{
	for (;;)
		table_grow(1000);
}

static void tables_fill(void)
{
	while (table_grow(1000) != -1)
		;
	for (;;)
		table_fill(table_size());
}

#define FAILED ((__SIZE_TYPE__)-1)

/* Touches each page that it gets. */
static void memory(void)
{
	__SIZE_TYPE__ at;
	while ((at = __builtin_wasm_memory_grow(0, 1)) != FAILED)
		*(volatile u8 *)(at << 16) = 1;
	count("pages", __builtin_wasm_memory_size(0));
}

static void memory_at_once(void)
{
	count("grown", (i32)__builtin_wasm_memory_grow(0, 65535));
	count("pages", __builtin_wasm_memory_size(0));
}

static void memory_for_ever(void)
{
	for (;;)
		__builtin_wasm_memory_grow(0, 1);
}

/* One request to the host that needs as much again for its answer. */
static void answer_of_all(void)
{
	while (__builtin_wasm_memory_grow(0, 16) != FAILED)
		;
	u32 n = (__builtin_wasm_memory_size(0) << 16) - (1 << 20);
	u32 head[3] = {2, 1, n - 14};
	copy((u8 *)(1 << 20), head, sizeof head);
	copy((u8 *)(1 << 20) + sizeof head, "{}", 2);
	count("invoke", oh_invoke((void *)(1 << 20), n));
}

ATTACKS({"table", tables}, {"table steps", tables_in_steps}, {"table for ever", tables_for_ever}, {"table fill", tables_fill},
	{"memory", memory}, {"memory at once", memory_at_once}, {"memory for ever", memory_for_ever}, {"invoke all", answer_of_all})
