/* trap: ends in every way that is not a return. */
#define TOOL "trap"
#include "attack.h"

WASI(proc_exit) void proc_exit(i32 code) __attribute__((noreturn));

static volatile i32 zero;

static void unreachable(void) { __builtin_trap(); }
static void divide(void) { count("quotient", 100 / zero); }
static void overflow(void) { count("quotient", (-2147483647 - 1) / (zero - 1)); }

static void load(void) { count("byte", *(volatile u8 *)(__UINTPTR_TYPE__)(0xfffffff0u + zero)); }
static void store(void) { *(volatile u8 *)(__UINTPTR_TYPE__)(0xfffffff0u + zero) = 1; }

/* Calls through the table: another type, an element that is null, one outside. */
static i64 other(i64 a, i64 b) { return a + b + zero; }
static void *volatile pointer = (void *)other;
static void through_table(void *f) { ((void (*)(void))f)(); }
static void indirect_type(void) { through_table(pointer); }
static void indirect_null(void) { through_table((void *)(__UINTPTR_TYPE__)zero); }
static void indirect_outside(void) { through_table((void *)(__UINTPTR_TYPE__)(0x7fffffff + zero)); }

static void exit_0(void) { proc_exit(0); }
static void exit_1(void) { proc_exit(1); }

/* Codes by which wazero itself says that a call was cancelled, or was too late. */
static void exit_cancelled(void) { proc_exit(-1); }
static void exit_late(void) { proc_exit(0xefffffff); }

/* Answers first. */
static void exit_answered(void)
{
	answer("{\"raised\":{\"message\":\"answered\"}}");
	proc_exit(0);
}

static void trap_answered(void)
{
	answer("{\"raised\":{\"message\":\"answered\"}}");
	__builtin_trap();
}

ATTACKS({"unreachable", unreachable}, {"divide", divide}, {"overflow", overflow}, {"load", load}, {"store", store},
	{"indirect type", indirect_type}, {"indirect null", indirect_null}, {"indirect outside", indirect_outside}, {"exit 0", exit_0},
	{"exit 1", exit_1}, {"exit cancelled", exit_cancelled}, {"exit late", exit_late}, {"exit answered", exit_answered}, {"trap answered", trap_answered})
