//go:build linux || darwin

package jail

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

func TestF14(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/.git/config", "kept")
		w.write("w/sub/.git/hooks/pre-commit", "kept")
		w.link(".git/hooks", "w/h")
		w.link(".git", "w/g")
		w.link("a/../.bashrc", "w/rc")
		w.mkdir("w/.git/hooks")
		w.mkdir("w/.git/info")
		w.mkdir("w/git")
		for _, d := range []string{".hg", ".cargo", ".gradle", ".m2"} {
			w.mkdir("w/" + d)
		}
		for _, p := range []string{
			"/.git/config", "/.git/hooks", "/.git/hooks/pre-commit", "/.git/hooks/a/b/c", "/sub/.git/hooks/pre-commit",
			"/h/pre-commit", "/g/config", "/g/hooks/x", "/rc", "/.git/../.git/config", "/.git/hooks/../config",
			"/.git/modules/x/config", "/.git/modules/x/hooks/y", "/.git/worktrees/x/config.worktree", "/.git/commondir",
			"/.git/rebase-merge/git-rebase-todo", "/.git", "/sub/deep/.git", "/bare.git/hooks/x", "/bare.git/config",
			"/.gitmodules", "/.gitconfig", "/.config/git/config",
			"/.bashrc", "/sub/.profile", "/.zshenv", "/.config/fish/config.fish", "/config.fish", "/.envrc", "/.inputrc",
			"/.ssh", "/.ssh/authorized_keys", "/.ssh/new/deep", "/.netrc", "/.npmrc", "/.pypirc", "/.ripgreprc",
			"/.mcp.json", "/.vscode/tasks.json", "/.idea/workspace.xml", "/x.code-workspace", "/.claude/settings.json",
			"/.codex/config.toml", "/.cursor/mcp.json", "/.openhands/setup.sh", "/.gemini/settings.json", "/.windsurf/x",
			"/.aider.conf.yml", "/.husky/pre-commit", "/.hg/hgrc", "/.hg/hgrc-not-shared", "/.hg/sharedpath", "/.hgrc", "/.config/hg/hgrc",
			"/.jj/repo/config.toml", "/.jj/repo", "/.jj/workspace-config.toml", "/.jj/repo/store/git/hooks/x", "/.jjconfig.toml", "/.config/jj/config.toml",
			"/.bashrc.d/x", "/.cargo/config", "/sub/.cargo/config.toml", "/.cargo/env", "/.cargo/env.fish", "/.cargo/bin/ls", "/.cargo/credentials.toml",
			"/.gradle/init.gradle", "/.gradle/init.gradle.kts", "/.gradle/init.d/x.gradle", "/.gradle/gradle.properties",
			"/.m2/settings.xml", "/.m2/settings-security.xml", "/.mavenrc", "/.forward", "/.procmailrc", "/.rhosts", "/.shosts",
			"/.config/gh/config.yml", "/.config/zed/settings.json", "/.dir-locals.el", "/sub/.dir-locals-2.el",
		} {
			d := w.noWrite(w.w + p)
			require.True(w, strings.HasPrefix(d.Why, "it is protected: "), "%s: %s", p, d.Why)
			require.True(w, strings.HasPrefix(d.Ask, "--allow-protected '/"), "%s: %s", p, d.Ask)
		}
		// Moving or removing is a write, also of a link.
		for _, p := range []string{"/.git", "/.git/config", "/.git/hooks", "/sub/.git", "/.bashrc"} {
			_, err := w.jail.Target(w.w+p, false)
			w.isDenied(w.w+p, err)
		}
		// Reading is allowed.
		w.reads(w.w+"/.git/config", "kept")
		w.reads(w.w+"/sub/.git/hooks/pre-commit", "kept")
		require.Contains(w, w.names(w.w), ".git")

		for _, p := range []string{
			"/.git/info/exclude", "/.git/COMMIT_EDITMSG", "/git/config", "/config", "/.gitignore", "/.gitattributes", "/bashrc",
			"/x.bashrc", "/.bashrc.bak", "/a/b/.config", "/AGENTS.md", "/.config", "/.github", "/.hg/last-message.txt", "/.dockerignore", "/hooks", "/ssh", "/.env",
			"/.cargo/registry.txt", "/.gradle/caches.txt", "/.m2/notes.xml", "/gradle.properties", "/init.gradle", "/.bazelrc", "/config.toml", "/Cargo.toml",
		} {
			w.puts(w.w + p)
		}
	})
}

func TestF14ThroughLinks(t *testing.T) {
	// What is protected is so under the name that programs look for, wherever a
	// link leads from there.
	each(t, func(w *world) {
		for _, d := range []string{"w/dotfiles/ssh", "w/gitdata/hooks", "w/gitdata/info", "w/dot/git", "w/deep/er", "w/sub", "w/real"} {
			w.mkdir(d)
		}
		w.write("w/dotfiles/bashrc", "kept")
		w.link("dotfiles/bashrc", "w/.bashrc")
		w.link("missing", "w/.profile")
		w.link("one", "w/.zshrc") // .zshrc, one, two, dotfiles/zshrc
		w.link("two", "w/one")
		w.link("dotfiles/zshrc", "w/two")
		w.link(".bashrc", "w/rc")
		w.link(w.w+"/gitdata", "w/.git")
		w.link(".git/hooks", "w/h")
		w.link("dot", "w/.config")
		w.link("gone", "w/.vim")
		w.link("../dotfiles/ssh/", "w/sub/.SSH")
		w.link("../.git", "w/deep/er/.git")
		w.link("real", "w/plain")
		for _, p := range []string{
			"/.bashrc", "/rc", "/sub/../rc", "/.profile", "/.zshrc", "/.git/hooks", "/.git/hooks/pre-commit", "/.git/config", "/.git/info/../config",
			"/h/pre-commit", "/deep/er/.git/hooks/x", "/.config/git/config", "/.config/git", "/.config/fish/x", "/.config/opencode", "/.vim/plugin/x",
			"/.vim", "/sub/.SSH/authorized_keys", "/sub/.SSH/new",
		} {
			d := w.noWrite(w.w + p)
			require.True(w, strings.HasPrefix(d.Why, "it is protected: "), "%s: %s", p, d.Why)
			require.True(w, strings.HasPrefix(d.Ask, "--allow-protected '/"), "%s: %s", p, d.Ask)
		}
		// Without following the last link, the directories on the way count.
		for _, p := range []string{"/.bashrc", "/.git/hooks", "/.git/hooks/x", "/.config/git", "/.config/git/config", "/.git/", "/h/x", "/sub/.SSH/x"} {
			_, err := w.jail.Target(w.w+p, false)
			w.isDenied(w.w+p, err)
		}
		w.reads(w.w+"/rc", "kept")
		require.NoFileExists(w, w.w+"/missing")
		require.Empty(w, w.names(w.w+"/dot/git"))

		for _, p := range []string{
			"/.git/info/exclude", "/.git/COMMIT_EDITMSG", "/.config/other", "/plain/x", "/one", "/.git/../x",
			// A link elsewhere that leads here cannot be known.
			"/dotfiles/bashrc", "/gitdata/hooks/pre-commit", "/dot/git/config",
		} {
			w.puts(w.w + p)
		}
		// What a denial asks for is what allows the write.
		require.Equal(w, "--allow-protected '/.bashrc'", w.noWrite(w.w+"/rc").Ask)
		require.Equal(w, "--allow-protected '/.git/hooks/x'", w.noWrite(w.w+"/h/x").Ask)
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}, AllowProtected: []string{"/.bashrc", "/.git/hooks/x"}}, nil)
		w.puts(w.w + "/rc")
		w.puts(w.w + "/h/x")
		w.noWrite(w.w + "/h/y")
	})
}

func TestF14GrantedThroughLinks(t *testing.T) {
	// A granted directory has the names by which it was granted, too.
	each(t, func(w *world) {
		w.mkdir("w/dot/git")
		w.write("w/dot/bashrc", "kept")
		w.link("dot", "w/.config")
		w.link(".config", "w/c")
		w.link("dot/bashrc", "w/.bashrc")
		grant := func(p string, allow ...string) {
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + p, Write: true}}, AllowProtected: allow}, nil)
		}
		for _, name := range []string{"/.config/git", "/c/git", "/c/../c/git"} {
			grant(name)
			require.Equal(w, []string{"rw " + w.w + "/dot/git"}, w.jail.Grants())
			for _, p := range []string{name + "/config", "/.config/git/config", "/dot/git/config"} {
				require.Equal(w, "--allow-protected '/config'", w.noWrite(w.w+p).Ask, name)
			}
		}
		grant("/.config/git", "/config")
		w.puts(w.w + "/.config/git/config")
		w.puts(w.w + "/dot/git/config")
		w.noWrite(w.w + "/dot/git/ignore")
		grant("/.config")
		for _, p := range []string{"/.config/git/x", "/dot/git/x"} {
			require.Equal(w, "--allow-protected '/git/x'", w.noWrite(w.w+p).Ask)
		}
		w.puts(w.w + "/.config/x")
		grant("/.bashrc")
		for _, p := range []string{"/.bashrc", "/dot/bashrc"} {
			require.Equal(w, "--allow-protected '/.bashrc'", w.noWrite(w.w+p).Ask)
		}
		grant("/.bashrc", "/.bashrc")
		w.puts(w.w + "/.bashrc")
		grant("/dot")
		w.puts(w.w + "/dot/git/x")
		// A name above the granted directory's own does not count.
		grant("/c/../dot/git")
		w.puts(w.w + "/dot/git/y")
	})
}

func TestF14Ask(t *testing.T) {
	// What a denial asks for is what allows the write, and nothing else.
	each(t, func(w *world) {
		w.mkdir("w/a [b]/.git")
		w.mkdir("w/a b/.git")
		p := w.w + "/a [b]/.git/config"
		d := w.noWrite(p)
		require.Equal(w, `--allow-protected '/a\ \[b\]/.git/config'`, d.Ask)
		w.grant(&tool.Grant{
			Paths:          []tool.PathGrant{{Path: w.w, Write: true}},
			AllowProtected: []string{`/a\ \[b\]/.git/config`},
		}, nil)
		w.puts(p)
		w.noWrite(w.w + "/a b/.git/config")
		w.noWrite(w.w + "/.git/config")
	})
}

func TestAllowProtected(t *testing.T) {
	each(t, func(w *world) {
		for _, p := range []string{"w/.git/hooks", "w/.vscode", "w/sub/.vscode", "w/sub/.ssh"} {
			w.mkdir(p)
		}
		w.grant(&tool.Grant{
			Paths:          []tool.PathGrant{{Path: w.w, Write: true}, {Path: w.w + "/ro"}},
			AllowProtected: []string{".vscode/*", "!.vscode/tasks.json", "/.git/hooks/*", ".envrc"},
			Deny:           []string{"/.git/hooks/denied"},
		}, nil)
		w.puts(w.w + "/.vscode/settings.json")
		w.noWrite(w.w + "/.vscode/tasks.json")
		w.noWrite(w.w + "/sub/.vscode/x")
		w.puts(w.w + "/.git/hooks/pre-commit")
		w.puts(w.w + "/.envrc")
		w.puts(w.w + "/sub/.envrc")
		for _, p := range []string{"/.git/config", "/sub/.git/hooks/x", "/sub/.ssh/x", "/.git/hooks/denied", "/.git"} {
			w.noWrite(w.w + p)
		}
		// Patterns are relative to each granted directory.
		w.grant(&tool.Grant{
			Paths:          []tool.PathGrant{{Path: w.w, Write: true}, {Path: w.w + "/sub", Write: true}},
			AllowProtected: []string{"/.ssh"},
		}, nil)
		w.mkdir("w/sub/d/.ssh")
		w.mkdir("w/.ssh")
		w.puts(w.w + "/sub/.ssh/x")
		w.puts(w.w + "/.ssh/x")
		w.noWrite(w.w + "/sub/d/.ssh/x")
		// Lifting protection grants nothing.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w}}, AllowProtected: []string{"**"}}, nil)
		require.Equal(w, "it is granted for reading only", w.noWrite(w.w+"/.git/config").Why)
	})
}

func TestProtectedAtTheRoot(t *testing.T) {
	// What counts is at or below the granted directory's own name.
	each(t, func(w *world) {
		for _, p := range []string{"w/.git/hooks", "w/.ssh", "w/.claude/worktrees/x/.git"} {
			w.mkdir(p)
		}
		grant := func(p string) {
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + p, Write: true}}}, nil)
		}
		grant("/.git")
		w.noWrite(w.w + "/.git/hooks/x")
		w.noWrite(w.w + "/.git/config")
		w.puts(w.w + "/.git/COMMIT_EDITMSG")
		grant("/.ssh")
		require.Equal(w, "--allow-protected '/config'", w.noWrite(w.w+"/.ssh/config").Ask)
		grant("/.claude/worktrees/x")
		w.puts(w.w + "/.claude/worktrees/x/file")
		w.noWrite(w.w + "/.claude/worktrees/x/.git/config")
		w.noWrite(w.w + "/.claude/worktrees/x/.claude/settings.json")
		// A file granted by name is protected all the same.
		w.write("w/.bashrc", "kept")
		grant("/.bashrc")
		require.Equal(w, "--allow-protected '/.bashrc'", w.noWrite(w.w+"/.bashrc").Ask)
		w.reads(w.w+"/.bashrc", "kept")
	})
}

func TestProtectedHolder(t *testing.T) {
	// A file may be called .config, and a directory be made; a link moved there
	// would lead a shell to its files.
	each(t, func(w *world) {
		w.mkdir("w/evil/fish")
		w.link("evil", "w/l")
		from, err := w.jail.Target(w.w+"/l", false)
		require.NoError(w, err)
		defer from.Close()
		to, err := w.jail.Target(w.w+"/.CONFIG", false)
		require.NoError(w, err)
		defer to.Close()
		require.ErrorIs(w, from.Dir.Rename("l", ".CONFIG"), os.ErrPermission)
		require.ErrorIs(w, from.Dir.RenameNoReplace("l", ".config"), os.ErrPermission)
		require.ErrorIs(w, from.Dir.RenameTo("l", to.Dir, ".config"), os.ErrPermission)
		require.NoError(w, to.Dir.Mkdir(".config", 0o755))
		require.NoError(w, from.Dir.Rename("l", "l2"))
		// It can be decided before.
		w.mkdir("w/sub/.local")
		for p, ask := range map[string]string{
			"/.CONFIG": "'/.CONFIG'", "/.local": "'/.local'", "/sub/.local/share": "'/sub/.local/share'", "/x.git": "'/x.git'", "/sub/../.hg": "'/.hg'",
			"/a": "", "/sub/share": "", "/git": "",
		} {
			tg, err := w.jail.Target(w.w+p, false)
			require.NoError(w, err)
			err = tg.AllowLink()
			require.NoError(w, tg.Close())
			if ask == "" {
				require.NoError(w, err, p)
				continue
			}
			d := w.isDenied(w.w+p, err)
			require.Equal(w, "it is protected: a link in its place would lead to other files than the protected ones below it", d.Why)
			require.Equal(w, "--allow-protected "+ask, d.Ask)
		}
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}, AllowProtected: []string{"/.local", "/.CONFIG"}}, nil)
		tg, err := w.jail.Target(w.w+"/.local", false)
		require.NoError(w, err)
		defer tg.Close()
		require.NoError(w, tg.AllowLink())
		require.NoError(w, tg.Dir.Rename("l2", ".local"))
		// Directories are not renamed at all: what is below was decided by path.
		require.ErrorContains(w, from.Dir.Rename("evil", "good"), "is a directory")
	})
}

func TestF15(t *testing.T) {
	each(t, func(w *world) {
		for _, d := range []string{".GIT", ".Git", "sub", ".git", ".git.", ".git ", ".git::$INDEX_ALLOCATION", "GIT~1", ".g\u200cit", ".\u0262it"} {
			w.mkdir("w/" + d)
		}
		for _, p := range []string{
			"/.GIT/hooks/x", "/.Git/CONFIG", "/.git/HOOKS/x", "/.git./hooks/x", "/.git /config", "/.git::$INDEX_ALLOCATION/config",
			"/GIT~1/hooks/x", "/git~1", "/.g\u200cit/config", "/.git\u200d", "/\ufeff.git", "/.git/con\u00adfig", "/.git/config.",
			"/.git/config::$DATA", "/.git/config:x", "/.git/hook\u017f/x", "/.BASHRC", "/.Bash_Profile", "/.bashrc.", "/.bashrc::$DATA",
			"/.pro\ufb01le", "/.PROFILE", "/.\u212ashrc", "/.s\u2060sh/x", "/.SSH/x", "/.Vscode/x", "/.MCP.JSON", "/.Claude/x",
		} {
			w.noWrite(w.w + p)
		}
		// Names are bytes: what only looks like another name is another name,
		// and stays as it is.
		for _, name := range []string{
			"e\u0301", "\u00e9", "CON", "COM1", "aux.txt", "a:stream", "trailing.", "trailing ", "\u202egnp.exe", "\xff\xfe", "new\nline", "*", "-rf",
			".\u0262it", ".gi\u0442",
		} {
			w.write("w/sub/"+name, "as "+name)
			w.reads(w.w+"/sub/"+name, "as "+name)
		}
		require.Len(w, w.names(w.w+"/sub"), 15)
		w.fails(w.w+"/A/B/F", syscall.ENOENT)
		w.untouched()
	})
}
