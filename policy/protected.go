package policy

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Protected are the files and directories that decide what programs do later:
// version control, editors, shells, package managers and agents are set up by them.
// Names are told without regard to case, since some file systems do.
var (
	protectedDirs = []string{
		".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude", ".codex", ".agents", ".gemini", ".toolfall",
	}
	protectedFiles = []string{
		".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
		".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bazelrc", ".bazeliskrc",
		".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", "gradle-wrapper.properties", "maven-wrapper.properties",
		".devcontainer.json", ".ripgreprc", "pyrightconfig.json", ".mcp.json", ".claude.json", "toolfall.yaml", "toolfall.yml",
	}
)

// protected reports whether a file is one of them, by its spelling or its links.
func protected(t target) bool { return protectedPath(t.spelt) || protectedPath(t.real()) }

func protectedPath(p string) bool {
	p = strings.ToLower(filepath.ToSlash(p))
	if slices.Contains(protectedFiles, path.Base(p)) || strings.Contains(p, "/.config/git/") {
		return true
	}
	for _, part := range strings.Split(p, "/") {
		if slices.Contains(protectedDirs, part) {
			return true
		}
	}
	return false
}
