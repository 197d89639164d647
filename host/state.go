package host

import (
	"context"
	"fmt"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/session"
)

// stateService is the service "state" of one call: named values of the session.
type stateService struct {
	sess     *session.Session
	readOnly bool // puts and deletes are accepted and forgotten
	quota    *quota
}

// Name is "state".
func (s *stateService) Name() string { return abi.ServiceState }

// Invoke answers one request, see package abi, "Services".
func (s *stateService) Invoke(ctx context.Context, req *abi.Frame) (*abi.Frame, error) {
	var r struct {
		Op   string `json:"op"`
		Name string `json:"name"`
	}
	if err := readRequest(req.Header, &r); err != nil {
		return invalid("broken JSON: " + err.Error())
	}
	f, err := s.answer(ctx, r.Op, r.Name, req)
	if err == nil {
		return f, nil
	}
	e, err := errorOf(err)
	if err != nil {
		return nil, err
	}
	return refuse(e)
}

func (s *stateService) answer(ctx context.Context, op, name string, req *abi.Frame) (*abi.Frame, error) {
	switch op {
	case "get":
		b, found, err := s.sess.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		return reply(map[string]bool{"found": found}, b)
	case "put":
		b, ok := req.Attachment(0)
		if !ok {
			return invalid("put: attachment 0 must be the value")
		}
		if s.readOnly {
			return reply(struct{}{})
		}
		if err := s.quota.takeBytes(len(b)); err != nil {
			return nil, err
		}
		if err := s.sess.Put(ctx, name, b); err != nil {
			return nil, err
		}
		return reply(struct{}{})
	case "delete":
		if s.readOnly {
			return reply(struct{}{})
		}
		if err := s.sess.Delete(ctx, name); err != nil {
			return nil, err
		}
		return reply(struct{}{})
	case "list":
		names, err := s.sess.List(ctx)
		if err != nil {
			return nil, err
		}
		return reply(map[string][]string{"names": append([]string{}, names...)})
	}
	return invalid(fmt.Sprintf("no operation %.40q", op))
}
