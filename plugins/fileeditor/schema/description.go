package schema

import _ "embed" // for the text below

// Description is the tool's description, which models were trained on; {{cwd}}
// stands for the working directory. It ends in a newline that is not published.
//
//go:embed description.md
var Description string
