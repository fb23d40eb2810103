package approval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// maxMessage is the longest message on a socket, in bytes.
const maxMessage = 16 << 20

// maxClients is how many may look at the questions at once.
const maxClients = 16

// marker is a variable in the environment of every process that a tool has started.
const marker = "TOOLFALL_CALL="

// asked is what a client says: an answer, or that it wants the list.
type asked struct {
	Answer *Answer `json:"answer,omitempty"`
}

// told is what it is told.
type told struct {
	Pending []Request `json:"pending"`
	Error   string    `json:"error,omitempty"`
}

// Listen lets other programs of this user see the questions of a broker and answer
// them, through a socket in dir, until ctx ends. A program that a tool has started is
// not let in: nobody approves for itself.
func Listen(ctx context.Context, b *Broker, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("listen for answers: %w", err)
	}
	path := filepath.Join(dir, strconv.Itoa(os.Getpid())+"-"+newID()+".sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return fmt.Errorf("listen for answers: %w", err)
	}
	os.Chmod(path, 0o600)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer os.Remove(path)
	slots := make(chan struct{}, maxClients)
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil // the listener was closed, which is how it ends
		}
		select {
		case slots <- struct{}{}:
			go func() { // ends with the client, which has a deadline, or with ctx
				defer func() { <-slots }()
				defer c.Close()
				stop := context.AfterFunc(ctx, func() { c.Close() })
				defer stop()
				answerClient(b, c)
			}()
		default:
			c.Close()
		}
	}
}

// answerClient answers what one client asks.
func answerClient(b *Broker, c *net.UnixConn) {
	refused := stranger(c)
	r := bufio.NewReader(c)
	for {
		c.SetDeadline(time.Now().Add(time.Minute))
		var in asked
		if readMessage(r, &in) != nil {
			return
		}
		if refused != nil {
			write(c, told{Error: refused.Error()})
			return
		}
		var out told
		if in.Answer != nil {
			if err := b.Answer(*in.Answer); err != nil {
				out.Error = err.Error()
			}
		}
		out.Pending = b.Pending()
		if write(c, out) != nil {
			return
		}
	}
}

// stranger refuses a client that is not this user's, or that a tool has started.
func stranger(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if int(peer.Uid) != os.Getuid() {
		return errors.New("only the user who runs the program may answer")
	}
	if startedByTool(int(peer.Pid)) {
		return errors.New("what a tool has started may not answer")
	}
	return nil
}

// maxAncestors bounds the way up from a process.
const maxAncestors = 64

// startedByTool reports whether a process has the mark of a call, or is below this
// program. A process of which nothing can be learnt may be.
func startedByTool(pid int) bool {
	for range maxAncestors {
		if pid == os.Getpid() {
			return true
		}
		if pid <= 1 {
			return false
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || bytes.HasPrefix(environ, []byte(marker)) || bytes.Contains(environ, []byte("\x00"+marker)) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 2 {
			return true
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			return true
		}
	}
	return true
}

func write(c net.Conn, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.Write(append(raw, '\n'))
	return err
}

func readMessage(r *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return errors.New("a message is too long")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return err
		}
		return json.Unmarshal(line, v)
	}
}

// A Client sees the questions of another program, and answers them.
type Client struct {
	c *net.UnixConn
	r *bufio.Reader
}

// Dial connects to the programs that listen in dir.
func Dial(dir string) ([]*Client, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.sock"))
	if err != nil {
		return nil, fmt.Errorf("look for programs that ask: %w", err)
	}
	var out []*Client
	for _, path := range paths {
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			if abandoned(path) {
				os.Remove(path)
			}
			continue
		}
		out = append(out, &Client{c, bufio.NewReader(c)})
	}
	return out, nil
}

// abandoned reports whether the program that listened on a socket is gone. One that is
// there may be about to listen.
func abandoned(path string) bool {
	name, _, _ := strings.Cut(filepath.Base(path), "-")
	pid, err := strconv.Atoi(name)
	return err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}

// Close ends the connection.
func (c *Client) Close() error { return c.c.Close() }

// Pending returns the open questions.
func (c *Client) Pending() ([]Request, error) { return c.ask(asked{}) }

// Answer settles a question. The error says why an answer was refused.
func (c *Client) Answer(a Answer) error {
	_, err := c.ask(asked{Answer: &a})
	return err
}

func (c *Client) ask(in asked) ([]Request, error) {
	c.c.SetDeadline(time.Now().Add(10 * time.Second))
	if err := write(c.c, in); err != nil {
		return nil, err
	}
	var out told
	if err := readMessage(c.r, &out); err != nil {
		return nil, err
	}
	if out.Error != "" {
		return nil, errors.New(out.Error)
	}
	return out.Pending, nil
}
