//go:build linux || darwin

package jail

import "strings"

// A protection is a path that leads to code being run, or to other credentials
// being used, the next time a person or a program looks at the directory: not
// what the project runs as its own code when asked to, but what a shell, git, an
// editor or an agent picks up by itself. It can be read, but not be written,
// created, replaced, moved or removed.
type protection struct {
	// path is a sequence of components that protects wherever it stands: what
	// it names and all below. A component may be a glob.
	path string
	// entry means that only the name itself is protected, not what is below.
	entry bool
	why   string
}

// protections is the list (threats F14). Names are compared as plainName says:
// any letter case, on every file system. A write is held against them as its
// path resolves, as it is spelled at each link that is followed, and under each
// name by which the directory was granted. That a link elsewhere leads to a file
// cannot be known: where .bashrc is a link to dotfiles/bashrc, a write to
// dotfiles/bashrc itself is allowed.
//
// .git itself is in the list as an entry: a file ".git" or a link of that name
// leads git to another directory, whose config and hooks it then obeys, and no
// honest edit makes one. Other files below .git (info/exclude, COMMIT_EDITMSG)
// stay writable. .gitmodules is in the list although projects track it: it
// decides where "git submodule update" fetches from and checks out to, and has
// run code more than once (CVE-2018-11235, CVE-2018-17456). Texts that instruct
// agents and that projects edit daily (AGENTS.md, CLAUDE.md) are not, nor are
// build files (.bazelrc, .mvn): who builds a project means to run its code. What
// counts for all builds below a directory (.cargo/config.toml, .gradle/init.d) is.
var protections = []protection{
	{".git", true, "git obeys the config and the hooks it leads to"},
	{".git/hooks", false, "git runs its files"},
	{".git/config", false, "git runs commands it names"},
	{".git/config.worktree", false, "git runs commands it names"},
	{".git/commondir", false, "it leads git to another config"},
	{".git/gitdir", false, "it leads git to another repository"},
	{".git/modules", false, "it holds the config and the hooks of submodules"},
	{".git/worktrees", false, "it holds the config of work trees"},
	{".git/rebase-merge", false, "git rebase runs commands it lists"},
	{".git/rebase-apply", false, "git rebase goes on with what it holds"},
	{".git/sequencer", false, "git goes on with what it lists"},
	{"*.git/hooks", false, "git runs its files in a bare repository"},
	{"*.git/config", false, "git runs commands it names in a bare repository"},
	{".gitconfig", false, "git runs commands it names"},
	{".gitmodules", false, "it decides what git fetches into the work tree"},
	{".config/git", false, "git runs commands it names"},
	{".hg/hgrc", false, "hg runs hooks it names"},
	{".hg/hgrc-not-shared", false, "hg runs hooks it names"},
	{".hg/sharedpath", false, "it leads hg to another hgrc"},
	{".hgrc", false, "hg runs hooks it names"},
	{".config/hg", false, "hg runs hooks it names"},
	{".jj", false, "jj runs commands its config names, and git those of the repository in it"},
	{".jjconfig.toml", false, "jj runs commands it names"},
	{".config/jj", false, "jj runs commands it names"},
	{".husky", false, "git is often set to run hooks from it"},
	{".githooks", false, "git is often set to run hooks from it"},

	{".bashrc", false, "the shell runs it"},
	{".bash_profile", false, "the shell runs it"},
	{".bash_login", false, "the shell runs it"},
	{".bash_logout", false, "the shell runs it"},
	{".bash_aliases", false, "the shell runs it"},
	{".bashrc.d", false, "the shell is often set to run its files"},
	{".profile", false, "the shell runs it"},
	{".zshrc", false, "the shell runs it"},
	{".zshenv", false, "the shell runs it"},
	{".zprofile", false, "the shell runs it"},
	{".zlogin", false, "the shell runs it"},
	{".zlogout", false, "the shell runs it"},
	{".kshrc", false, "the shell runs it"},
	{".mkshrc", false, "the shell runs it"},
	{".cshrc", false, "the shell runs it"},
	{".tcshrc", false, "the shell runs it"},
	{".login", false, "the shell runs it"},
	{".logout", false, "the shell runs it"},
	{".inputrc", false, "the shell binds keys to commands by it"},
	{"config.fish", false, "the shell runs it"},
	{".config/fish", false, "the shell runs its files"},
	{".config/powershell", false, "the shell runs its files"},
	{".config/nushell", false, "the shell runs its files"},
	{".envrc", false, "direnv runs it"},
	{".direnvrc", false, "direnv runs it"},
	{".config/direnv", false, "direnv runs its files"},
	{".local/bin", false, "the shell finds commands in it"},
	{".cargo/bin", false, "the shell finds commands in it"},
	{".cargo/env*", false, "the shell runs it"},

	{".pam_environment", false, "it sets variables at login"},
	{".xprofile", false, "it runs at login"},
	{".xinitrc", false, "it runs at login"},
	{".xsession", false, "it runs at login"},
	{".xsessionrc", false, "it runs at login"},
	{".config/autostart", false, "its programs start at login"},
	{".config/environment.d", false, "it sets variables at login"},
	{".config/systemd", false, "its services start at login"},
	{".local/share/systemd", false, "its services start at login"},
	{"Library/LaunchAgents", false, "its services start at login"},
	{".forward", false, "incoming mail runs commands it names"},
	{".procmailrc", false, "incoming mail runs commands it names"},
	{".rhosts", false, "it lets others log in"},
	{".shosts", false, "it lets others log in"},

	{".ssh", false, "it holds keys, and ssh runs commands it names"},
	{".gnupg", false, "it holds keys, and gpg runs programs it names"},
	{".netrc", false, "it holds credentials"},
	{".npmrc", false, "it holds credentials and decides where packages come from"},
	{".yarnrc", false, "it decides where packages come from"},
	{".yarnrc.yml", false, "yarn runs plugins it names"},
	{".pypirc", false, "it holds credentials"},
	{".pip/pip.conf", false, "it decides where packages come from"},
	{".config/pip", false, "it decides where packages come from"},
	{".aws", false, "it holds credentials, and tools run commands it names"},
	{".kube", false, "it holds credentials, and kubectl runs commands it names"},
	{".docker/config.json", false, "it holds credentials, and docker runs helpers it names"},
	{".config/gh", false, "it holds credentials, and gh runs commands it names"},
	{".cargo/config", false, "cargo and editors run programs it names, in all directories below"},
	{".cargo/config.toml", false, "cargo and editors run programs it names, in all directories below"},
	{".cargo/credentials", false, "it holds credentials"},
	{".cargo/credentials.toml", false, "it holds credentials"},
	{".gradle/init.gradle", false, "every gradle build runs it"},
	{".gradle/init.gradle.kts", false, "every gradle build runs it"},
	{".gradle/init.d", false, "every gradle build runs its files"},
	{".gradle/gradle.properties", false, "it holds credentials, and decides how every gradle build starts"},
	{".m2/settings.xml", false, "it holds credentials and decides where packages come from"},
	{".m2/settings-security.xml", false, "it holds credentials"},
	{".mavenrc", false, "every maven build runs it"},

	{".tmux.conf", false, "tmux runs commands it names"},
	{".config/tmux", false, "tmux runs commands it names"},
	{".screenrc", false, "screen runs commands it names"},
	{".ripgreprc", false, "ripgrep runs commands it names"},
	{".curlrc", false, "curl obeys it"},
	{".wgetrc", false, "wget obeys it"},
	{".gdbinit", false, "gdb runs it"},
	{".lldbinit", false, "lldb runs it"},
	{".irbrc", false, "irb runs it"},
	{".pryrc", false, "pry runs it"},
	{".Rprofile", false, "R runs it"},
	{".psqlrc", false, "psql runs it"},
	{".sqliterc", false, "sqlite3 runs it"},

	{".vscode", false, "the editor runs tasks and programs it names"},
	{"*.code-workspace", false, "the editor runs tasks and programs it names"},
	{".devcontainer", false, "the editor runs commands it names"},
	{".devcontainer.json", false, "the editor runs commands it names"},
	{".idea", false, "the editor runs programs it names"},
	{".zed", false, "the editor runs tasks and programs it names"},
	{".config/zed", false, "the editor runs tasks and programs it names"},
	{".vimrc", false, "the editor runs it"},
	{".gvimrc", false, "the editor runs it"},
	{".exrc", false, "the editor runs it"},
	{".vim", false, "the editor runs its files"},
	{".nvimrc", false, "the editor runs it"},
	{".nvim.lua", false, "the editor runs it"},
	{".config/nvim", false, "the editor runs its files"},
	{".emacs", false, "the editor runs it"},
	{".emacs.d", false, "the editor runs its files"},
	{".dir-locals.el", false, "the editor evaluates it in all directories below"},
	{".dir-locals-2.el", false, "the editor evaluates it in all directories below"},

	{".mcp.json", false, "agents start servers it names"},
	{".ohhost", false, "agent configuration"},
	{".openhands", false, "agent configuration, with hooks and set-up scripts"},
	{".claude", false, "agent configuration, with hooks"},
	{".claude.json", false, "agent configuration"},
	{".codex", false, "agent configuration"},
	{".cursor", false, "agent configuration"},
	{".cursorrules", false, "agent configuration"},
	{".gemini", false, "agent configuration"},
	{".windsurf", false, "agent configuration"},
	{".windsurfrules", false, "agent configuration"},
	{".codeium", false, "agent configuration"},
	{".aider.conf.yml", false, "agent configuration"},
	{".continue", false, "agent configuration"},
	{".cline", false, "agent configuration"},
	{".clinerules", false, "agent configuration"},
	{".roo", false, "agent configuration"},
	{".roomodes", false, "agent configuration"},
	{".kilocode", false, "agent configuration"},
	{".amazonq", false, "agent configuration"},
	{".kiro", false, "agent configuration"},
	{".crush.json", false, "agent configuration"},
	{"crush.json", false, "agent configuration"},
	{".opencode", false, "agent configuration"},
	{"opencode.json", false, "agent configuration"},
	{"opencode.jsonc", false, "agent configuration"},
	{".config/opencode", false, "agent configuration"},
	{".goosehints", false, "agent configuration"},
	{".config/goose", false, "agent configuration"},
	{".copilot", false, "agent configuration"},
}

// A guard is a protection made ready to match plain names.
type guard struct {
	*protection
	parts []part
}

var guards = makeGuards()

func makeGuards() []guard {
	gs := make([]guard, len(protections))
	for i := range protections {
		parts, err := parseParts(fold(protections[i].path))
		if err != nil {
			panic("jail: protection " + protections[i].path + ": " + err.Error())
		}
		gs[i] = guard{&protections[i], parts}
	}
	return gs
}

// protectionOf returns what protects the path of these components, if anything.
// A match counts if it ends at component from or below: a workspace inside
// ~/.claude/worktrees is not agent configuration, while a grant of ~/.claude
// itself, or of a repository's .git, is.
func protectionOf(names []string, from int) *protection {
	plain := plainNames(names)
	for _, g := range guards {
		for end := len(plain); end > from && end >= len(g.parts); end-- {
			if g.entry && end < len(plain) {
				break
			}
			if sameParts(g.parts, plain[end-len(g.parts):end]) {
				return g.protection
			}
		}
	}
	return nil
}

// holds reports whether a protected path would lie below the path of these
// components: a link put there would take the protected path's place.
func holds(names []string) bool {
	plain := plainNames(names)
	for _, g := range guards {
		for n := 1; n < len(g.parts) && n <= len(plain); n++ {
			if sameParts(g.parts[:n], plain[len(plain)-n:]) {
				return true
			}
		}
	}
	return false
}

func sameParts(parts []part, names []string) bool {
	for i := range parts {
		if !parts[i].match(names[i]) {
			return false
		}
	}
	return true
}

func plainNames(names []string) []string {
	plain := make([]string, len(names))
	for i, n := range names {
		plain[i] = plainName(n)
	}
	return plain
}

// components splits a resolved path; "/" has none.
func components(path string) []string {
	path = strings.TrimPrefix(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
