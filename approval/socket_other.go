//go:build !linux

package approval

import (
	"context"
	"errors"
)

var errNoSocket = errors.New("on this system nobody can tell a person's program from one that a tool has started, so only the terminal that asks can answer")

// Listen is not to be had here.
func Listen(context.Context, *Broker, string) error { return errNoSocket }

// A Client would see the questions of another program.
type Client struct{}

// Dial is not to be had here.
func Dial(string) ([]*Client, error) { return nil, errNoSocket }

// Close does nothing.
func (c *Client) Close() error { return nil }

// Pending returns nothing.
func (c *Client) Pending() ([]Request, error) { return nil, errNoSocket }

// Answer answers nothing.
func (c *Client) Answer(Answer) error { return errNoSocket }
