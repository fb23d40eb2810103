package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/internal/config"
	"github.com/toolfall/toolfall/scope"
)

func (a *app) approvalsCommand() *cli.Command {
	return &cli.Command{
		Name: "approvals", Usage: "answer what other toolfall programs ask",
		Description: "On a terminal every open question is shown, and answered with a letter; without one they are\n" +
			"listed. Programs that ask are those on a terminal, and those started with --approvals.\n\n" +
			"  toolfall --approvals call bash '{\"command\":\"make\"}' &\n" +
			"  toolfall approvals                       # in another terminal\n" +
			"  toolfall approvals answer ID/HASH yes    # what a list shows, as one word",
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "list the questions as JSON, one a line"}},
		OnUsageError: usageError,
		Commands: []*cli.Command{{
			Name: "answer", Usage: "answer one question", ArgsUsage: "ID/HASH yes|session|project|always|no",
			OnUsageError: usageError, Action: a.answer,
		}},
		Action: a.approvals,
	}
}

// listen lets other terminals answer, for as long as s is open.
func (a *app) listen(s *scope.Scope, b *approval.Broker) error {
	dir, err := config.ApprovalsDir()
	if err != nil {
		return err
	}
	s.Go(func(ctx context.Context) {
		if err := approval.Listen(ctx, b, dir); err != nil {
			fmt.Fprintln(a.stderr, "toolfall:", err)
		}
	})
	return nil
}

// dial connects to the programs that ask.
func dial() ([]*approval.Client, error) {
	dir, err := config.ApprovalsDir()
	if err != nil {
		return nil, err
	}
	return approval.Dial(dir)
}

// open is a question of another program.
type open struct {
	approval.Request
	client *approval.Client
}

// questions are the open ones of all programs. One that does not answer is left out.
func questions(clients []*approval.Client) (all []open) {
	for _, c := range clients {
		pending, err := c.Pending()
		if err != nil {
			continue
		}
		for _, q := range pending {
			all = append(all, open{q, c})
		}
	}
	return all
}

func (a *app) approvals(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 0 {
		return a.unknownCommand(c)
	}
	clients, err := dial()
	if err != nil {
		return err
	}
	defer closeAll(clients)
	all := questions(clients)
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil || !isTerminal(a.stdout) || c.Bool("json") {
		return a.list(all, c.Bool("json"))
	}
	defer tty.Close()
	for _, q := range all {
		if ctx.Err() != nil {
			break
		}
		askRaw(ctx, tty, &remote{client: q.client}, q.Request)
	}
	if len(all) == 0 {
		fmt.Fprintln(a.stdout, "nothing is asked")
	}
	return nil
}

func closeAll(clients []*approval.Client) {
	for _, c := range clients {
		c.Close()
	}
}

// short is how much of a hash a person repeats.
const short = 12

func (a *app) list(all []open, asJSON bool) error {
	for _, q := range all {
		var err error
		if asJSON {
			err = writeJSON(a.stdout, q.Request)
		} else {
			_, err = fmt.Fprintf(a.stdout, "%s/%s  %s\n  %s\n  asked because: %s\n", q.ID, q.Hash[:min(short, len(q.Hash))], q.Tool, strings.ReplaceAll(q.Text, "\n", "\n  "), q.Why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var outcomes = map[string]approval.Outcome{
	"yes": approval.Once, "session": approval.Session, "project": approval.Project, "always": approval.Always, "no": approval.Rejected,
}

func (a *app) answer(_ context.Context, c *cli.Command) error {
	id, hash, ok := strings.Cut(c.Args().First(), "/")
	outcome, known := outcomes[c.Args().Get(1)]
	if c.Args().Len() != 2 || !ok || !known || len(hash) < short {
		return errors.New("answer takes what the list shows and an answer: toolfall approvals answer ID/HASH yes|session|project|always|no")
	}
	clients, err := dial()
	if err != nil {
		return err
	}
	defer closeAll(clients)
	for _, q := range questions(clients) {
		switch {
		case q.ID != id:
			continue
		case !strings.HasPrefix(q.Hash, hash):
			return approval.ErrMismatch
		}
		return q.client.Answer(approval.Answer{ID: id, Hash: q.Hash, Outcome: outcome, By: "approvals"})
	}
	return approval.ErrUnknown
}

// remote is the desk of another program: it is asked again and again whether its
// questions have changed.
type remote struct{ client *approval.Client }

// pollTime is how often.
const pollTime = 300 * time.Millisecond

// Pending returns the open questions.
func (r *remote) Pending() []approval.Request {
	open, err := r.client.Pending()
	if err != nil {
		return nil // the program is gone, and its questions with it
	}
	return open
}

// Answer settles a question.
func (r *remote) Answer(a approval.Answer) error { return r.client.Answer(a) }

// Changed returns a channel that is closed when it is time to look again.
func (r *remote) Changed() <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(pollTime, func() { close(c) })
	return c
}
