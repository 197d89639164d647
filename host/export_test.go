package host

// WazeroVersion is compared with go.mod by a test.
const WazeroVersion = wazeroVersion
