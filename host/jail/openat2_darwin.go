package jail

import "errors"

func haveOpenat2() error { return errors.ErrUnsupported }

func openPathPlace(string) (place, error) { return nil, errors.ErrUnsupported }
