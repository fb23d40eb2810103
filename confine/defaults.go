package confine

import "path/filepath"

// DefaultProtect are the names in a workspace that decide what programs outside the
// sandbox do later: hooks and settings of version control, of editors and of agents.
func DefaultProtect() []string {
	return []string{
		".git/hooks", ".git/config", ".vscode", ".idea", ".husky", ".claude", ".codex", ".gemini", ".agents", ".toolfall",
		".mcp.json", ".envrc", ".ripgreprc", ".pre-commit-config.yaml", "toolfall.yaml",
	}
}

// DefaultHide are the files and directories below a home directory that hold secrets.
func DefaultHide(home string) []string {
	var out []string
	for _, name := range []string{
		".ssh", ".gnupg", ".aws", ".config/gcloud", ".config/gh", ".config/hub", ".azure", ".kube", ".docker", ".netrc", ".git-credentials",
		".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/pip", ".terraform.d",
		".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history",
		".password-store", ".local/share/keyrings", ".local/state/toolfall", ".claude", ".claude.json", ".codex",
	} {
		out = append(out, filepath.Join(home, filepath.FromSlash(name)))
	}
	return out
}
