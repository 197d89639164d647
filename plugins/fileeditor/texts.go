package main

import (
	"strconv"

	"github.com/ohhost/ohhost/guest"
)

// The texts of the tool: interface to the model, byte for byte
// (spec/tools.md, "file_editor").

const (
	reasonBinary     = "File appears to be binary and this file type cannot be read or edited by this tool."
	reasonNotRegular = "File is not a regular file."
	reasonTooMany    = "the directory has too many entries to be listed (1048576 at most)"

	reviewReplace = "Review the changes and make sure they are as expected. Edit the file again if necessary."
	reviewInsert  = "Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary."

	noteStripped   = "\nNOTE: `old_str` did not match as given; it matched without the white space around it."
	noteEmpty      = "\nNOTE: `old_str` is empty."
	noteStripEmpty = "\nNOTE: `old_str` is empty once the white space around it is removed."
	noteGutter     = "\nNOTE: `old_str` seems to contain the line numbers of a `cat -n` view; send the text without them."

	noticeFile = "<response clipped><NOTE>Due to the max output limit, only part of this file has been shown to you. You should retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.</NOTE>"
	noticeDir  = "<response clipped><NOTE>Due to the max output limit, only part of this directory has been shown to you. You should use `ls -la` instead to view large directories incrementally.</NOTE>"
)

func invalid(parameter, value, hint string) string {
	return "Invalid `" + parameter + "` parameter: " + value + ". " + hint
}

func invalidPath(path, hint string) string { return invalid("path", path, hint) }

func hintMissing(path string) string {
	return "The path " + path + " does not exist. Please provide a valid path."
}

func hintExists(path string) string {
	return "File already exists at: " + path + ". Cannot overwrite files using command `create`."
}

func hintDirectory(path string) string {
	return "The path " + path + " is a directory and only the `view` command can be used on directories."
}

// missing is the text for a parameter that the command needs.
func missing(parameter, command string) string {
	return "Parameter `" + parameter + "` is required for command: " + command + "."
}

func validationFailed(path, reason string) string {
	return "File validation failed for " + path + ": " + reason
}

func reasonTooLarge(size int64) string {
	return "File is too large (" + megabytes(size) + "MB). Maximum allowed size is " + strconv.Itoa(maxSize>>20) + "MB."
}

// megabytes prints a size with one decimal as Python's .1f does: a tie goes to
// the even digit.
func megabytes(size int64) string {
	const half = 1 << 19
	tenths, rest := size*10>>20, size*10&(1<<20-1)
	if rest > half || rest == half && tenths%2 == 1 {
		tenths++
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

func ranIntoRead(path, reason string) string {
	return "Ran into " + reason + " while trying to read " + path
}

func ranIntoWrite(path, reason string) string {
	return "Ran into " + reason + " while trying to write to " + path
}

// osError is an error of the operating system as Python prints an OSError.
func osError(e *guest.FileError, path string) string {
	return "[Errno " + strconv.Itoa(e.Errno) + "] " + e.Message + ": " + pyRepr(path)
}

func cannotView(path, reason string) string {
	return "Cannot view " + path + ": file contains binary content that cannot be decoded as text. Error: " + reason
}

func noteConverted(from string) string {
	return "\nNOTE: The new text cannot be written in the file's encoding (" + from + "); the whole file is now UTF-8."
}

// catOf is the heading of numbered lines.
func catOf(what string) string { return "Here's the result of running `cat -n` on " + what + ":\n" }
