package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/toolfall/toolfall/policy/command"
)

// A program is one that only reads, with the options of which that is known. What
// is not listed is not known, abbreviations of long options included.
type program struct {
	short    string   // options of a letter
	values   string   // those that take a value
	long     []string // long options, with = where they take a value
	operands operands
	counts   bool // -5 is a number
	plus     bool // +x is no file
}

// operands are what the words that are no options mean.
type operands int

const (
	files    operands = iota // files that are read
	texts                    // anything but files
	pattern1                 // a pattern, then files
	no                       // there are none
	names                    // files of which only the names or attributes are shown
)

// table lists the programs, one a line: name, operands, letters, letters with
// values, long options. A line with two names is a command of a program that has
// many.
const table = `
ls        names    alhrtSRd1FGinpsUXckqQvABCDfgmoxLHNuZ - --all --almost-all --human-readable --recursive --reverse --size --sort= --time= --color --color= --directory --classify --inode --full-time --group-directories-first
cat       files    AbeEnstTuv - --number --show-all --number-nonblank --squeeze-blank
head      files    qvz nc --lines= --bytes= --quiet --silent --verbose
tail      files    qvz nc --lines= --bytes= --quiet --silent --verbose
wc        files    clmwL - --lines --words --bytes --chars
pwd       no       LP -
echo      texts    neE -
printf    texts    - -
which     texts    a - --all
type      texts    aftpP -
stat      names    Lft c --format= --dereference --terse --file-system
du        names    ahscklmxL d --all --human-readable --summarize --max-depth= --total --apparent-size
df        names    ahTkilm - --human-readable --local
diff      files    urNqbBwiyacpsEZt UC --unified --unified= --recursive --brief --ignore-all-space --ignore-space-change --ignore-blank-lines --color --color= --side-by-side --stat
cmp       files    bls n
file      files    bihkLsz - --brief --mime --mime-type --dereference
grep      pattern1 EFGPivwxcnHhlLoqsrRzZabT ABCm --extended-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --line-regexp --count --color --color= --files-with-matches --files-without-match --only-matching --quiet --no-messages --with-filename --no-filename --line-number --recursive --include= --exclude= --exclude-dir= --max-count= --after-context= --before-context= --context=
egrep     pattern1 ivwxcnHhlLoqsrR ABCm
fgrep     pattern1 ivwxcnHhlLoqsrR ABCm
rg        pattern1 FivwxcnNHIlosSUuPa ABCmgtTd --fixed-strings --ignore-case --smart-case --word-regexp --count --files-with-matches --line-number --no-heading --hidden --glob= --type= --max-count= --context= --files --multiline --json
tree      names    adfhilpsuCDF LPI --dirsfirst
basename  texts    az s
dirname   texts    z -
realpath  names    eLmPqsz -
readlink  names    efmnqsvz -
cut       files    nsz bcdf --delimiter= --fields= --characters=
tr        texts    cCdst -
nl        files    - bdfhilnsvw
tac       files    b -
rev       files    - -
od        files    abcdfilosxv AjNtw
hexdump   files    bcCdovx ns
strings   files    afo nt --bytes=
sort      files    bdfgiMhnRrVcCmsuz kt --reverse --numeric-sort --unique --human-numeric-sort --version-sort --ignore-case --key= --field-separator=
md5sum    files    bctw -
sha1sum   files    bctw -
sha256sum files    bctw -
sha512sum files    bctw -
comm      files    123iz -
column    files    te sco
id        texts    agGnruz -
whoami    no       - -
uname     no       asnrvmpio -
date      plus     uR - --utc
uptime    no       ps -
nproc     no       - --all
ps        no       aflAjHTwcdNrSvy opUGtCq --sort= --no-headers --forest
free      no       bkmghtw -
arch      no       - -
true      texts    - -
false     texts    - -
:         texts    - -
exit      texts    - -
return    texts    - -
break     texts    - -
continue  texts    - -
test      names    abcdefghkoprstuwxzGLNOS -
[         names    abcdefghkoprstuwxzGLNOS -
seq       texts    w fs
cd        cd       LP -
git status    files sbuvz - --short --branch --porcelain --porcelain= --long --verbose --ignored --untracked-files --untracked-files= --no-renames
git log       files psziELFgqr nSGL --oneline --graph --stat --decorate --decorate= --no-decorate --all --author= --grep= --since= --until= --after= --before= --pretty --pretty= --format= --abbrev-commit --name-only --name-status --patch --no-patch --follow --max-count= --skip= --no-merges --merges --reverse --date= --shortstat --numstat --first-parent --color --no-color --topo-order --cherry-pick --left-right --no-ext-diff --no-textconv
git diff      files psbwzRaqWM USGO --cached --staged --stat --shortstat --numstat --name-only --name-status --color --no-color --word-diff --word-diff= --unified= --ignore-all-space --ignore-space-change --no-renames --summary --patch --no-ext-diff --no-textconv --check --diff-filter= --find-renames
git show      files pszq USG --stat --name-only --name-status --oneline --format= --pretty= --no-patch --color --no-color --patch --shortstat --numstat --no-ext-diff --no-textconv
git branch    no    arvql - --all --remotes --verbose --show-current --list --no-color --merged --no-merged --contains= --sort= --format=
git tag       no    ln - --list --sort= --format= --contains= --points-at=
git remote    no    v - --verbose
git rev-parse texts q - --short --short= --abbrev-ref --verify --show-toplevel --git-dir --is-inside-work-tree --show-prefix --show-cdup --quiet
git ls-files  files cdmosutvz - --cached --deleted --modified --others --stage --exclude-standard --error-unmatch --full-name
git ls-tree   texts rdtlz - --name-only --full-tree
git blame     files wlsMCebftn L --porcelain --line-porcelain --date=
git describe  texts - - --tags --always --abbrev= --dirty --long --all --match=
git shortlog  texts sne - --summary --numbered --email
git merge-base texts a - --is-ancestor --fork-point --all
git cat-file  texts pte -
git stash     list  - -
git reflog    list  - -
git worktree  list  - -
`

// programsOnce reads the table when it is first needed.
var programsOnce = sync.OnceValue(func() map[string]program {
	all := make(map[string]program)
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		fields := strings.Fields(line)
		name := fields[0]
		if name == "git" {
			name, fields = "git "+fields[1], fields[1:]
		}
		p := program{operands: meanings[fields[1]], plus: fields[1] == "plus"}
		p.counts = name == "head" || name == "tail" || name == "git log" || name == "git show"
		p.short = strings.Trim(fields[2], "-")
		p.values = strings.Trim(fields[3], "-")
		p.long = fields[4:]
		if fields[1] == "list" {
			p.long = []string{"list"}
		}
		all[name] = p
	}
	return all
})

var meanings = map[string]operands{"files": files, "texts": texts, "pattern1": pattern1, "no": no, "names": names, "cd": names, "plus": texts, "list": no}

// split takes apart the arguments of a program. It is not ok with an option that is
// not in the table.
func (p program) split(args []command.Word) (operands []command.Word, ok bool) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch text := w.Text; {
		case text == "--":
			return append(operands, args[i+1:]...), true
		case text == "-" || !strings.HasPrefix(text, "-"):
			if strings.HasPrefix(text, command.Unknown) || w.Glob && strings.IndexAny(text, "*?[") == 0 {
				return nil, false // it may become an option
			}
			operands = append(operands, w)
		case w.Dynamic() && !strings.Contains(text, "="):
			return nil, false
		case strings.HasPrefix(text, "--"):
			name, _, value := strings.Cut(text, "=")
			if value {
				name += "="
			}
			if !slices.Contains(p.long, name) {
				return nil, false
			}
		case slices.Contains(p.long, text): // one that stands alone
		case p.counts && strings.Trim(text[1:], "0123456789") == "":
		default:
			next, ok := p.letters(text[1:])
			if !ok {
				return nil, false
			}
			if next {
				i++
			}
		}
	}
	return operands, true
}

// letters checks a group of short options, and reports whether the next word is the
// value of the last one.
func (p program) letters(group string) (next, ok bool) {
	for i := range len(group) {
		switch {
		case strings.IndexByte(p.values, group[i]) >= 0:
			return i == len(group)-1, true
		case strings.IndexByte(p.short, group[i]) < 0:
			return false, false
		}
	}
	return false, true
}
