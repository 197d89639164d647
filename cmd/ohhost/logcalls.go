package main

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// logCalls is the outermost middleware. Arguments are not logged: they hold the
// texts of files, and secrets.
func logCalls(log hclog.Logger) tool.Middleware {
	return func(next tool.Tool) tool.Tool { return &logged{next, log} }
}

type logged struct {
	tool.Tool
	log hclog.Logger
}

// Unwrap implements tool.Wrapper.
func (l *logged) Unwrap() tool.Tool { return l.Tool }

// Call implements tool.Tool.
func (l *logged) Call(ctx context.Context, c *tool.Call) (*abi.Result, error) {
	start := time.Now()
	res, err := l.Tool.Call(ctx, c)
	pairs := []any{"tool", l.Spec().Name, "id", hclog.Quote(c.ID), "args", len(c.Args), "took", time.Since(start)}
	if err != nil {
		l.log.Debug("call failed", append(pairs, "kind", tool.Kind(err), "error", hclog.Quote(err.Error()))...)
		return nil, err
	}
	l.log.Debug("call done", append(pairs, "is_error", res.IsError)...)
	return res, nil
}
