package page

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"
)

// certificateFor is how long a certificate is valid. It is made anew whenever a page begins.
const certificateFor = 30 * 24 * time.Hour

// newCertificate is a certificate for these names, signed by itself, with its fingerprint: a browser warns of it, and
// the operator compares the fingerprint.
func newCertificate(names []string) (out tls.Certificate, print string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return out, "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return out, "", err
	}
	of := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "rths"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(certificateFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			of.IPAddresses = append(of.IPAddresses, ip)
			continue
		}
		of.DNSNames = append(of.DNSNames, name)
	}
	der, err := x509.CreateCertificate(rand.Reader, &of, &of, &key.PublicKey, key)
	if err != nil {
		return out, "", err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, fingerprint(der), nil
}

// fingerprint is as browsers show it: AB:CD:…
func fingerprint(der []byte) string {
	var parts []string
	for _, b := range sha256.Sum256(der) {
		parts = append(parts, fmt.Sprintf("%02X", b))
	}
	return strings.Join(parts, ":")
}
