// Package selftest attacks the host on the machine it runs on and says what
// stopped each attack: `ohhost selftest`. The attacks are the vectors of
// docs/spec/threats.md, mounted for real, by hostile guests through the public API
// of package host, on files of a directory that is made for them and removed.
//
//	report, err := selftest.Run(ctx, &selftest.Options{Worker: worker})
//	report.OK() // nothing got through
//
// Whether an attack got through is decided by what it did, not by what an error
// says: a guest has seen a secret that lies outside its grant, a file there has
// changed, memory grew over its bound, a call went on long after its deadline, a
// descriptor or a goroutine was left, a module that must be refused was loaded, code
// out of a poisoned cache ran, the process died. What cannot be tried on a machine
// is said to be so, with the reason, and never counts as stopped; before each attack
// on files the guest reads and writes one that it was granted, so that a guest that
// can do nothing at all proves nothing.
//
// The attacks run in processes of their own, one after another in the same one until
// it is spoilt: an attack that got through may freeze it, fill its memory or kill it,
// and that, too, must be seen and survived. [Run] is the side that watches, [Work]
// the one that attacks.
//
// What it is not: a proof. It tries what is known, for a few seconds.
package selftest
