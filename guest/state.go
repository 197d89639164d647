package guest

import "github.com/ohhost/ohhost/abi"

// State is the service of small named values that live as long as the session.
// Names are [A-Za-z0-9._-]{1,128}. Every method returns a *StateError for what
// the service refuses.
type State struct{ host Host }

// Get returns a value, or false where there is none.
func (s State) Get(name string) (data []byte, found bool, err error) {
	req := newRequest(abi.ServiceState, "get")
	req.stringMember("name", name)
	o, a, err := s.do(req, name)
	if err != nil {
		return nil, false, err
	}
	if found, _ = o.Bool("found"); !found {
		return nil, false, nil
	}
	return attachment(a, 0), true, nil
}

// Put stores a value.
func (s State) Put(name string, data []byte) error {
	req := newRequest(abi.ServiceState, "put")
	req.attach(data)
	req.stringMember("name", name)
	_, _, err := s.do(req, name)
	return err
}

// Delete removes a value.
func (s State) Delete(name string) error {
	req := newRequest(abi.ServiceState, "delete")
	req.stringMember("name", name)
	_, _, err := s.do(req, name)
	return err
}

// List returns the names of all values.
func (s State) List() ([]string, error) {
	o, _, err := s.do(newRequest(abi.ServiceState, "list"), "")
	if err != nil {
		return nil, err
	}
	var names []string
	for v := range o.Get("names").Items() {
		if name, ok := v.Str(); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

func (s State) do(req *request, name string) (Object, [][]byte, error) {
	o, a, err := invoke(s.host, abi.ServiceState, req)
	if err != nil {
		return o, a, err
	}
	if e, ok := o.Get("error").Object(); ok {
		kind, _ := e.Str("kind")
		message, _ := e.Str("message")
		return o, a, &StateError{Op: req.op, Name: name, Kind: kind, Message: message}
	}
	return o, a, nil
}
