package lichess

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// explainTLS adds the likely cause to the error of a rejected certificate. All such errors
// are temporary: clocks are set, certificates renewed, and captive portals left.
func explainTLS(host string, err error) error {
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("certificate of %s: %w: is this machine's clock right?", host, err)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("certificate of %s: %w: another server answers in its place, such as a proxy or a captive "+
			"portal, or this machine lacks current root certificates (ca-certificates)", host, err)
	}
	return err
}
