package instrument

// Version names what this package makes of a module: compiled modules are kept under
// it. It changes whenever the same module would be rewritten otherwise, or be refused;
// a test compares it with a digest of what is made of the guests for tests.
const Version = "i2"
