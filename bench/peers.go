package main

import (
	"context"
	"errors"

	"charm.land/fantasy"
	einotool "github.com/cloudwego/eino/components/tool/utils"
)

// einoCall is a tool of eino by itself, which checks nothing.
func einoCall() (func(int), func(), error) {
	tool, err := einotool.InferTool("read", "Read.", func(context.Context, readArgs) (string, error) { return "ok", nil })
	if err != nil {
		return nil, nil, err
	}
	ctx, raw := context.Background(), string(readRaw)
	if _, err := tool.InvokableRun(ctx, raw); err != nil {
		return nil, nil, err
	}
	return func(n int) {
		for range n {
			tool.InvokableRun(ctx, raw)
		}
	}, nil, nil
}

// fantasyCall is a tool of fantasy by itself, which checks nothing.
func fantasyCall() (func(int), func(), error) {
	tool := fantasy.NewAgentTool("read", "Read.", func(context.Context, readArgs, fantasy.ToolCall) (fantasy.ToolResponse, error) {
		return fantasy.NewTextResponse("ok"), nil
	})
	ctx, call := context.Background(), fantasy.ToolCall{ID: "1", Name: "read", Input: string(readRaw)}
	if r, err := tool.Run(ctx, call); err != nil || r.IsError {
		return nil, nil, errors.Join(errors.New("fantasy did not answer"), err)
	}
	return func(n int) {
		for range n {
			tool.Run(ctx, call)
		}
	}, nil, nil
}
