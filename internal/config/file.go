package config

// File is what toolfall.yaml may say. Its tags are the published schema, the text
// of `config show` and the check of a file at once.
type File struct {
	Roots  []string `json:"roots,omitempty" description:"The directories in which tools may work; relative ones start at the file. The first is where relative paths begin." minLength:"1"`
	Repair bool     `json:"repair,omitempty" description:"Mend what models are known to send wrong, such as a number as text, where the result then fits the schema. Each edit is told." default:"false"`
	Files  Files    `json:"files,omitzero" description:"The tools read_file, write_file, edit_file, list_dir, glob and grep."`
	Shell  Shell    `json:"shell,omitzero" description:"The tool bash."`
	Limits Limits   `json:"limits,omitzero" description:"Bounds on every call."`
	Output Output   `json:"output,omitzero" description:"What becomes of long output."`

	Journal   Journal   `json:"journal,omitzero" description:"The record of every call, in the user's state directory; toolfall log shows it."`
	Telemetry Telemetry `json:"telemetry,omitzero" description:"Who is told about calls. Nobody by default."`

	MCPFiles   []string             `json:"mcpFiles,omitempty" description:"Files of other programs with further servers, such as .mcp.json; relative ones start at this file. Each counts as long as it is trusted as it stands." minLength:"1"`
	MCPServers map[string]MCPServer `json:"mcpServers,omitempty" description:"MCP servers, by the names that they have here, as in .mcp.json. Their tools are mcp__SERVER__TOOL."`

	Permission Permission `json:"permission,omitzero" description:"Which calls may run."`
	Sandbox    Sandbox    `json:"sandbox,omitzero" description:"What the commands that run may touch."`
}

// Files configures plugin/files.
type Files struct {
	Enabled        bool `json:"enabled,omitempty" description:"Whether the tools are there." default:"true"`
	MaxLines       int  `json:"maxLines,omitempty" description:"The most lines of one read." minimum:"1" maximum:"1000000" default:"2000"`
	MaxBytes       int  `json:"maxBytes,omitempty" description:"The most bytes of text that one call returns." minimum:"1024" maximum:"67108864" default:"262144"`
	MaxLine        int  `json:"maxLine,omitempty" description:"The most characters shown of one line." minimum:"20" maximum:"1000000" default:"2000"`
	MaxResults     int  `json:"maxResults,omitempty" description:"The most entries, paths or matches that one call returns." minimum:"1" maximum:"1000000" default:"1000"`
	AllowHardLinks bool `json:"allowHardLinks,omitempty" description:"Open files that have more than one name, as trees of pnpm have. Such a file may be one outside the roots." default:"false"`
}

// Shell configures plugin/shell.
type Shell struct {
	Enabled    bool     `json:"enabled,omitempty" description:"Whether the tool is there." default:"true"`
	Timeout    int      `json:"timeout,omitempty" description:"Seconds that a command gets when the call names none." minimum:"1" maximum:"600" default:"120"`
	MaxTimeout int      `json:"maxTimeout,omitempty" description:"The most seconds that a call may ask for." minimum:"1" maximum:"600" default:"600"`
	MaxOutput  int      `json:"maxOutput,omitempty" description:"How much of the output a call returns, in bytes; the middle is left out." minimum:"1000" maximum:"10000000" default:"30000"`
	AllowEnv   []string `json:"allowEnv,omitempty" description:"Names of environment variables that commands get although they look like secrets." minLength:"1"`
	Jobs       int      `json:"jobs,omitempty" description:"How many commands an agent may have in the background." minimum:"1" maximum:"1000" default:"8"`
	JobTime    int      `json:"jobTime,omitempty" description:"Seconds that a command in the background may run." minimum:"1" maximum:"604800" default:"3600"`
	Persistent bool     `json:"persistent,omitempty" description:"Add the tool shell, a bash that keeps its directory and variables from call to call. What a line means there depends on those before, so no rule on commands allows one; the tool as a whole can be allowed." default:"false"`
}

// Output configures spill.
type Output struct {
	Budget   int  `json:"budget,omitempty" description:"How much text a result may have, in bytes; of more the model gets both ends, and read_output reads the rest. read_file and bash have bounds of their own." minimum:"1024" maximum:"67108864" default:"24576"`
	Keep     bool `json:"keep,omitempty" description:"Whether the whole of what is cut is kept, in a private directory." default:"true"`
	MaxMB    int  `json:"maxMB,omitempty" description:"How much is kept in all, in megabytes; the oldest goes first." minimum:"1" maximum:"1000000" default:"1024"`
	MaxHours int  `json:"maxHours,omitempty" description:"How long it is kept, in hours." minimum:"1" maximum:"87600" default:"168"`
}

// Journal configures plugin/record and the journal.
type Journal struct {
	Enabled  bool     `json:"enabled,omitempty" description:"Whether calls are recorded." default:"true"`
	Required bool     `json:"required,omitempty" description:"Refuse calls that may have effects while they cannot be recorded." default:"false"`
	MaxDays  int      `json:"maxDays,omitempty" description:"How long calls are kept, in days." minimum:"1" maximum:"36500" default:"90"`
	MaxMB    int      `json:"maxMB,omitempty" description:"How much is kept, in megabytes; the oldest goes first." minimum:"8" maximum:"1000000" default:"1024"`
	Redact   []string `json:"redact,omitempty" description:"Regular expressions (RE2) of what is masked before it is recorded, beside what looks like a secret anyway." minLength:"1"`
}

// Telemetry configures plugin/telemetry.
type Telemetry struct {
	Endpoint string `json:"endpoint,omitempty" description:"An OpenTelemetry collector that takes OTLP over HTTP, such as http://localhost:4318; without one OTEL_EXPORTER_OTLP_ENDPOINT counts."`
	Content  bool   `json:"content,omitempty" description:"Tell it arguments and results too, which may hold anything." default:"false"`
	Log      string `json:"log,omitempty" description:"A line for each call on standard error." enum:"off,text,json" default:"off"`
}

// Sandbox configures plugin/sandbox.
type Sandbox struct {
	Mode    string   `json:"mode,omitempty" description:"required: what starts a process runs in a sandbox, or not at all. off: it can touch what the user can. auto: required on Linux, off on systems that have no sandbox." enum:"required,auto,off" default:"auto"`
	Backend string   `json:"backend,omitempty" description:"Who sets the sandbox up. native: this program. bubblewrap: bwrap, which some systems let make what they let no other program. auto: native, and bubblewrap where that does not hold." enum:"auto,native,bubblewrap" default:"auto"`
	Network string   `json:"network,omitempty" description:"none: no network. proxy: the hosts in allow. host: all of it." enum:"none,proxy,host" default:"none"`
	Allow   []string `json:"allow,omitempty" description:"Hosts that are reached with network proxy: host, *.host or host:port." minLength:"1"`
	Deny    []string `json:"deny,omitempty" description:"Hosts that are not, whatever allow says." minLength:"1"`
	Write   []string `json:"write,omitempty" description:"Directories beside the roots that commands may write in." minLength:"1"`
	Hide    []string `json:"hide,omitempty" description:"Files and directories that commands cannot read, beside the places where secrets usually are." minLength:"1"`
	Protect []string `json:"protect,omitempty" description:"Names in the roots that commands cannot change, beside those that decide what programs do later." minLength:"1"`
}

// Permission configures plugin/permission.
type Permission struct {
	Mode     string   `json:"mode,omitempty" description:"What becomes of calls that no rule speaks of. default: what only reads runs, the rest is asked. acceptEdits: edits inside the roots run too. plan: only what is proven to read runs. dontAsk: what would be asked is denied. bypass: all runs but what a rule denies or asks about." enum:"default,acceptEdits,plan,dontAsk,bypass" default:"default"`
	Settings []string `json:"settings,omitempty" description:"Files of other programs whose permissions count too: settings.json of Claude Code, .rules of Codex, .toml of Gemini CLI; relative ones start at this file." minLength:"1"`
	Rules    []Rule   `json:"rules,omitempty" description:"Rules. Deny beats ask, and ask beats allow, wherever they stand."`
}

// Rule is a rule of plugin/permission.
type Rule struct {
	Effect   string   `json:"effect" description:"What becomes of the calls that it matches." enum:"allow,ask,deny"`
	Tool     string   `json:"tool,omitempty" description:"The tool, with * for any text. Left out, every tool."`
	Server   string   `json:"server,omitempty" description:"The MCP server whose tools it is about."`
	When     When     `json:"when,omitzero" description:"What it is narrowed to: one of these."`
	Reason   string   `json:"reason,omitempty" description:"Told to whoever is refused or asked."`
	Match    []string `json:"match,omitempty" description:"Commands, paths, hosts or values that the rule must match; checked when the file is read."`
	NotMatch []string `json:"not_match,omitempty" description:"Those that it must not match."`
}

// When narrows a Rule.
type When struct {
	Command string `json:"command,omitempty" description:"A command, word by word. * is any text, and a last \" *\" any further words or none."`
	Path    string `json:"path,omitempty" description:"Files, as in .gitignore: //abs, ~/home, /from this file, ./from the first root; a name alone matches anywhere."`
	Domain  string `json:"domain,omitempty" description:"A host; *.host is any below it."`
	Param   string `json:"param,omitempty" description:"An argument of the tool, to deny or ask."`
	Value   string `json:"value,omitempty" description:"What the argument is, with * for any text."`
}

// defaults returns the values that hold where nothing is said.
func defaults() File {
	return File{
		Roots:  []string{"."},
		Files:  Files{Enabled: true, MaxLines: 2000, MaxBytes: 256 << 10, MaxLine: 2000, MaxResults: 1000},
		Shell:  Shell{Enabled: true, Timeout: 120, MaxTimeout: 600, MaxOutput: 30_000, Jobs: 8, JobTime: 3600},
		Limits: defaultLimits(),

		Output:    Output{Budget: 24 << 10, Keep: true, MaxMB: 1024, MaxHours: 168},
		Journal:   Journal{Enabled: true, MaxDays: 90, MaxMB: 1024},
		Telemetry: Telemetry{Log: "off"},

		Permission: Permission{Mode: "default"},
		Sandbox:    Sandbox{Mode: "auto", Backend: "auto", Network: "none"},
	}
}
