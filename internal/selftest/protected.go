package selftest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/ohhost/ohhost/tool"
)

// tryF14 writes to what git, shells, editors and agents pick up by themselves, where
// it exists and where it does not.
func tryF14(ctx context.Context, w *world) {
	for path, text := range map[string]string{
		".git/config": "[core]\n", ".git/hooks/pre-commit.sample": "#!/bin/sh\n", ".bashrc": "true\n", ".ssh/config": "Host x\n", ".mcp.json": "{}\n",
	} {
		w.must(w.write("work/home/"+path, text))
	}
	home := filepath.Join(w.work, "home")
	w.must(os.Symlink(".bashrc", filepath.Join(w.work, "innocent")))
	w.must(os.Symlink("home/.git", filepath.Join(w.work, "repository")))
	w.must(os.MkdirAll(filepath.Join(home, "project"), 0o755))
	w.guard(home)
	var paths []string
	for _, p := range []string{
		".git/config", ".git/hooks/pre-commit", ".git/hooks/pre-commit.sample", ".git/hooks", ".git/config.worktree", ".git/modules/x/config",
		".bashrc", ".zshrc", ".profile", ".bash_profile", ".zshenv", ".config/fish/config.fish", ".envrc",
		".ssh/config", ".ssh/authorized_keys", ".ssh", ".gnupg/gpg.conf", ".netrc", ".npmrc", ".aws/config", ".gitconfig", ".gitmodules",
		".vscode/tasks.json", ".idea/workspace.xml", ".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".codex/config.toml", ".openhands/setup.sh",
		"project/.git/hooks/post-checkout", "project/.vscode/settings.json", "project/.bashrc", "project/.mcp.json",
	} {
		paths = append(paths, filepath.Join(home, p))
	}
	p := w.puppet(ctx, w.host(nil), w.grant())
	w.write14(ctx, p, append(paths, w.work+"/repository/hooks/pre-push", w.work+"/repository/config"))
	for _, path := range []string{home + "/.git", home + "/project/.git"} { // most of what is in it may be written
		w.look(ctx, p, path, append([]step{
			request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, path, "gitdir: /elsewhere\n"),
			request(`{"op":"apply","changes":[{"op":"mkdir","path":0}]}`, path),
			request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, w.work+"/loot", path),
		}, removes(path, w.work+"/stolen")...))
	}
	w.jailed()
}

// tryF15 writes to the same under other names for it: of file systems that ignore
// letter case, of Windows' and Apple's, and with characters that do not show.
func tryF15(ctx context.Context, w *world) {
	home := filepath.Join(w.work, "home")
	w.must(w.write("work/home/.git/config", "[core]\n"))
	w.must(w.write("work/home/.bashrc", "true\n"))
	w.guard(home)
	var paths []string
	for _, p := range []string{
		".GIT/hooks/pre-commit", ".Git/Config", ".git./config", ".git /hooks/x", ".git::$INDEX_ALLOCATION/config", ".git:stream/hooks/x", "GIT~1/config", "git~2/hooks/x",
		".gi\u200ct/hooks/x", ".g\u202eit/config", ".git\u2060/config", "\ufeff.git/config", ".BASHRC", ".bashrc.", ".bashrc ", ".bashrc::$DATA", ".bashrc:evil", ".ba\u017fhrc",
		".pro\ufb01le", ".PROFILE", ".\u200dbashrc", ".bash\ufe0frc", ".SSH/authorized_keys", ".s\u017fh/config", ".MCP.json", ".VSCode/tasks.json", ".Claude/settings.json", "\u202e.mcp.json",
	} {
		paths = append(paths, filepath.Join(home, p))
	}
	w.write14(ctx, w.puppet(ctx, w.host(nil), w.grant()), paths)
	w.jailed()
}

// write14 changes paths that may be read and not be written.
func (w *world) write14(ctx context.Context, p tool.Tool, paths []string) {
	loot := filepath.Join(w.work, "loot")
	for _, path := range paths {
		w.look(ctx, p, path, changes(path, loot))
	}
	for _, path := range paths {
		w.look(ctx, p, path, removes(path, filepath.Join(w.work, "stolen")))
	}
}

// tryF17 takes the granted directory away, and puts a link in its place.
func tryF17(ctx context.Context, w *world) {
	h := w.host(nil)
	w.must(w.write("single/file", "inside"))
	single := filepath.Join(w.dir, "single/file")
	p := w.puppet(ctx, h, w.grant())
	one, err := h.Bind(ctx, "puppet", &tool.Grant{Workspace: w.work, Paths: []tool.PathGrant{{Path: single, Write: true}}})
	w.must(err)
	moved := filepath.Join(w.dir, "moved")
	w.must(os.Rename(w.work, moved))
	w.must(os.Symlink("out", w.work))
	w.must(os.Remove(single))
	w.must(os.Symlink("../out/canary", single))

	w.poke(ctx, p, w.work, w.work+"/canary", w.work+"/dir", w.work+"/../out/canary", moved, moved+"/../out/canary")
	w.poke(ctx, one, single, single+"/", w.dir+"/single", w.dir+"/single/../out/canary")
	w.must(os.RemoveAll(moved))
	w.poke(ctx, p, w.work+"/canary", w.work+"/dir", w.work+"/..", w.work+"/../out/canary")
	w.jailed()
}
