package abi

// Names a module must export and may import, see the package documentation.
const (
	// Version is the module name of our imports and the "abi" value of a
	// description. Functions may be added to it, never changed.
	Version = "ohhost_v1"
	// WASI is the only other module that may be imported.
	WASI = "wasi_snapshot_preview1"

	ExportDescribe   = "oh_describe"
	ExportCall       = "oh_call"
	ExportMemory     = "memory"
	ExportInitialize = "_initialize"

	ImportInput    = "input"
	ImportOutput   = "output"
	ImportLog      = "log"
	ImportProgress = "progress"
	ImportInvoke   = "invoke"
)

// Negative results of invoke.
const (
	RefusedMalformed = -1 // the request is not a frame, or its header is not JSON
	RefusedService   = -2 // no such service, or it was not granted
	RefusedLimit     = -3 // a limit of the call is used up
)

// Levels of log.
const (
	LogTrace = iota
	LogDebug
	LogInfo
	LogWarn
	LogError
)

// Operations of a call header.
const (
	OpCall = "call"
	OpKeys = "keys"
)

// Services of this version.
const (
	ServiceFiles = "files"
	ServiceState = "state"
)

// Kinds of a service error.
const (
	ErrOS              = "os"
	ErrDenied          = "denied"
	ErrChanged         = "changed"
	ErrTooLarge        = "too_large"
	ErrNotRegular      = "not_regular"
	ErrEncodingUnknown = "encoding_unknown"
	ErrNoUndo          = "no_undo"
	ErrNotFound        = "not_found"
	ErrQuota           = "quota"
	ErrInvalid         = "invalid"
)

// Keys of a field value that stands for a text kept elsewhere.
const (
	FieldAttachment = "$attachment"
	FieldBlob       = "$blob"
)

// Absent is the "expect" of a change whose file must not exist yet.
const Absent = "absent"

// CWDPlaceholder is the only placeholder of a Spec's description.
const CWDPlaceholder = "{{cwd}}"
