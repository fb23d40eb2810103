package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Scan analyses a line of bash.
func Scan(line string) *Analysis {
	a := new(Analysis)
	s := &scanner{out: a, text: line, set: make(map[string]bool)}
	s.odd(line)
	if len(line) > MaxLength {
		s.opaque("it is longer than %d bytes", MaxLength)
		a.Commands = guess(line)
		return a
	}
	at := Place{Dirs: []string{"."}}
	a.Commands = s.script(line, &at)
	return a
}

// scanner collects what a script does.
type scanner struct {
	out   *Analysis
	text  string          // the script that is being scanned
	set   map[string]bool // variables that it has set
	into  *[]*Command     // where commands are added
	parts int
	depth int
	loops int
}

// opaque notes a reason once.
func (s *scanner) opaque(format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	if !slices.Contains(s.out.Opaque, reason) {
		s.out.Opaque = append(s.out.Opaque, reason)
	}
}

// odd notes characters that a reader does not see, or that shells read differently.
func (s *scanner) odd(line string) {
	for _, r := range line {
		if r != '\t' && r != '\n' && (unicode.Is(unicode.C, r) || r == unicode.ReplacementChar || unicode.Is(unicode.Zs, r) && r != ' ' || unicode.In(r, unicode.Zl, unicode.Zp)) {
			s.opaque("it has the invisible character U+%04X", r)
			return
		}
	}
}

// script scans a whole script and returns its commands.
func (s *scanner) script(text string, at *Place) []*Command {
	if s.depth++; s.depth > MaxDepth {
		s.opaque("commands are nested more than %d deep", MaxDepth)
		s.depth--
		return guess(text)
	}
	defer func() { s.depth-- }()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.opaque("it does not parse")
		s.out.Err = err
		return guess(text)
	}
	outer, into := s.text, s.into
	defer func() { s.text, s.into = outer, into }()
	var commands []*Command
	s.text, s.into = text, &commands
	s.stmts(file.Stmts, at)
	return commands
}

// add takes a command in.
func (s *scanner) add(c *Command) {
	if s.parts++; s.parts > MaxParts {
		s.opaque("it has more than %d commands", MaxParts)
	}
	*s.into = append(*s.into, c)
}

func (s *scanner) stmts(list []*syntax.Stmt, at *Place) {
	for _, st := range list {
		s.stmt(st, at, false)
	}
}

// stmt scans a statement. Sure says that what comes after it in this place only
// runs when it went well.
func (s *scanner) stmt(st *syntax.Stmt, at *Place, sure bool) {
	if st.Background || st.Coprocess || st.Disown {
		at = own(*at)
	}
	for _, r := range st.Redirs {
		s.redirect(r, *at)
	}
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		s.call(c, at, sure)
	case *syntax.BinaryCmd:
		s.binary(c, at, sure)
	case *syntax.Block:
		s.stmts(c.Stmts, at)
	case *syntax.Subshell:
		s.stmts(c.Stmts, own(*at))
	case *syntax.IfClause:
		s.branches(c, at)
	case *syntax.WhileClause:
		s.loop(at, func(at *Place) { s.stmts(c.Cond, at); s.stmts(c.Do, at) })
	case *syntax.ForClause:
		s.forEach(c, at)
	case *syntax.CaseClause:
		s.choice(c, at)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			s.stmt(c.Stmt, at, sure)
		}
	case *syntax.DeclClause:
		s.declare(c, *at)
	case *syntax.TestClause:
		s.test(c, *at)
	case *syntax.FuncDecl:
		s.opaque("it defines a function")
		s.stmt(c.Body, &Place{Lost: true}, false)
	case *syntax.CoprocClause:
		s.opaque("it starts a coprocess")
		s.stmt(c.Stmt, own(*at), false)
	default: // arithmetic can run what is in a variable: a[$(x)]
		s.opaque("it has shell arithmetic or a construct that is not looked into")
		s.inside(c, *at)
	}
}

func own(p Place) *Place { return &p }

func (s *scanner) binary(c *syntax.BinaryCmd, at *Place, sure bool) {
	switch c.Op {
	case syntax.AndStmt:
		s.stmt(c.X, at, true)
		s.stmt(c.Y, at, sure)
	case syntax.OrStmt:
		s.stmt(c.X, at, false)
		after := *at
		s.stmt(c.Y, at, false)
		*at = at.either(after)
	default: // each side of a pipe is a shell of its own
		s.stmt(c.X, own(*at), false)
		s.stmt(c.Y, own(*at), false)
	}
}

func (s *scanner) branches(c *syntax.IfClause, at *Place) {
	s.stmts(c.Cond, at)
	then := own(*at)
	s.stmts(c.Then, then)
	if c.Else != nil {
		s.branches(c.Else, at)
	}
	*at = at.either(*then)
}

// loop scans a body that may run many times: if it changes directory, nobody knows
// where the second time begins.
func (s *scanner) loop(at *Place, body func(*Place)) {
	s.loops++
	defer func() { s.loops-- }()
	if s.loops > MaxDepth { // or a statement would be scanned as often as it is deep
		at.Lost = true
	}
	before := *at
	commands, accesses, parts := len(*s.into), len(s.out.Accesses), s.parts
	body(at)
	if before.Lost { // nobody knew where it was in the first place
		return
	}
	if !at.Lost && slices.Equal(at.Dirs, before.Dirs) {
		return
	}
	*s.into, s.out.Accesses, s.parts = (*s.into)[:commands], s.out.Accesses[:accesses], parts
	at.Lost = true
	body(at)
	at.Lost = true
}

func (s *scanner) forEach(c *syntax.ForClause, at *Place) {
	if words, ok := c.Loop.(*syntax.WordIter); ok {
		s.assigned(words.Name.Value)
		for _, w := range words.Items {
			s.inside(w, *at)
		}
	} else {
		s.opaque("it has shell arithmetic or a construct that is not looked into")
		s.inside(c.Loop, *at)
	}
	s.loop(at, func(at *Place) { s.stmts(c.Do, at) })
}

func (s *scanner) choice(c *syntax.CaseClause, at *Place) {
	s.inside(c.Word, *at)
	after := *at
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			s.inside(pattern, *at)
		}
		branch := own(after) // the one before may fall through
		s.stmts(item.Stmts, branch)
		after = after.either(*branch)
	}
	*at = after
}

// declare scans export, declare, local and their kind.
func (s *scanner) declare(c *syntax.DeclClause, at Place) {
	if c.Variant.Value != "export" && c.Variant.Value != "local" && c.Variant.Value != "readonly" {
		s.opaque("it uses %s", c.Variant.Value)
	}
	for _, a := range c.Args {
		if a.Name != nil {
			s.assigned(a.Name.Value)
			if c.Variant.Value == "export" && !Harmless(a.Name.Value) && private(a.Name.Value) { // npm_config_script_shell is in small letters
				s.opaque("it exports the variable %s", a.Name.Value)
			}
		} else {
			s.opaque("%s is given options or words", c.Variant.Value)
		}
		s.inside(a, at)
	}
}

// test scans [[ ]]. Some of its operators evaluate what a variable holds.
func (s *scanner) test(c *syntax.TestClause, at Place) {
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				s.opaque("it tests a variable by name")
			}
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				s.opaque("it has shell arithmetic or a construct that is not looked into")
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return true
	})
	s.inside(c, at)
}

// inside scans the substitutions in a node.
func (s *scanner) inside(n syntax.Node, at Place) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			s.stmts(n.Stmts, own(at))
			return false
		case *syntax.ProcSubst:
			s.stmts(n.Stmts, own(at))
			return false
		case *syntax.ParamExp:
			s.parameter(n)
		case *syntax.ExtGlob:
			s.opaque("it has an extended pattern")
		case *syntax.ArithmExp:
			s.arithmetic(n)
		}
		return true
	})
}

// parameter notes the expansions that run or name more than they show.
func (s *scanner) parameter(p *syntax.ParamExp) {
	switch {
	case p.Excl, p.Exp != nil && p.Exp.Op == syntax.OtherParamOps, p.Index != nil, p.Slice != nil:
		s.opaque("it has an expansion that can run what a variable holds")
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		s.assigned(p.Param.Value)
	}
}

// arithmetic notes $(( )) with anything but numbers in it.
func (s *scanner) arithmetic(n *syntax.ArithmExp) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			if strings.Trim(n.Value, "0123456789") != "" {
				s.opaque("it has shell arithmetic or a construct that is not looked into")
			}
		case *syntax.ParamExp, *syntax.CmdSubst:
			s.opaque("it has shell arithmetic or a construct that is not looked into")
			return false
		}
		return true
	})
}

// redirect notes the file that a redirection opens.
func (s *scanner) redirect(r *syntax.Redirect, at Place) {
	if r.Word != nil {
		s.inside(r.Word, at)
	}
	if r.Hdoc != nil {
		s.inside(r.Hdoc, at)
	}
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		s.assigned(strings.Trim(r.N.Value, "{}"))
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	words := s.words([]*syntax.Word{r.Word}, at)
	if len(words) != 1 {
		s.opaque("it redirects to more than one word")
		return
	}
	w := words[0]
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut {
		if n := strings.TrimSuffix(w.Text, "-"); strings.Trim(n, "0123456789") == "" {
			return // a descriptor that is open already
		}
	}
	s.out.Accesses = append(s.out.Accesses, Access{Path: w, Write: r.Op != syntax.RdrIn && r.Op != syntax.DplIn, Place: at})
	if r.Op == syntax.RdrInOut {
		s.out.Accesses = append(s.out.Accesses, Access{Path: w, Place: at})
	}
}
