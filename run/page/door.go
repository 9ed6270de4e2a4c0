package page

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// door says who may do what. On loopback everybody on this computer may look and stop; arming wants a token. Elsewhere
// looking wants a token too.
type door struct {
	scheme string
	hosts  map[string]bool // host:port under which this page is known
	cookie string          // its name has the port: browsers send the cookies of a host to all of its ports
	open   bool            // looking wants no token
	arm    string          // token of arming, which also lets look
	view   string          // token of looking
	rates  rates
	logins rates
	holder func(int)
	say    func(string)

	sync.Mutex
	sessions map[string]*visit // by the cookie
	numbers  int
	holding  int // the visit that may arm; 0: none
}

// visit is a browser that has shown a token.
type visit struct {
	you
	from string
}

const visitsMost = 64

func newDoor(l net.Listener, given string, loopback bool, say func(string), holder func(int)) *door {
	d := &door{
		scheme: "https", hosts: map[string]bool{}, open: loopback, arm: secret(), view: secret(), say: say, holder: holder,
		sessions: map[string]*visit{},
		rates:    rates{most: 120, perS: 40}, logins: rates{most: 5, perS: 0.5},
	}
	if loopback {
		d.scheme = "http"
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	d.cookie = "rths_page_" + port
	for _, name := range namesOf(l, given, loopback) {
		at := strings.ToLower(net.JoinHostPort(name, port))
		d.hosts[at] = true
		// browsers leave it out
		if bare, ok := strings.CutSuffix(at, map[string]string{"http": ":80", "https": ":443"}[d.scheme]); ok {
			d.hosts[bare] = true
		}
	}
	return d
}

// namesOf are the names under which a listener can be reached, with the one that was given.
func namesOf(l net.Listener, given string, loopback bool) (out []string) {
	host, _, _ := net.SplitHostPort(l.Addr().String())
	ip := net.ParseIP(host)
	every := ip == nil || ip.IsUnspecified()
	if loopback || every {
		out = append(out, "127.0.0.1", "localhost", "::1")
	}
	if !every {
		out = append(out, host)
	}
	if !loopback {
		out = append(out, hostNames()...)
	}
	if of := net.ParseIP(given); given != "" && (of == nil || !of.IsUnspecified()) {
		out = append(out, given)
	}
	if addresses, err := net.InterfaceAddrs(); every && err == nil {
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok {
				out = append(out, n.IP.String())
			}
		}
	}
	return out
}

func hostNames() []string {
	name, err := os.Hostname()
	if err != nil {
		return nil
	}
	return []string{name}
}

// secret is a token of 128 random bits.
func secret() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Reasons for which the door stays shut.
var (
	errHost   = errors.New("this page is not known under that host: want the address that the program has printed")
	errOrigin = errors.New("the request comes from another site: want one from this page")
	errToken  = errors.New("want the token that the program has printed")
	errFast   = errors.New("too many requests: wait a little")
)

// check refuses requests under another name, from another site, and too many of them. A stop is never too much.
func (d *door) check(r *http.Request) (int, error) {
	switch {
	case !d.hosts[strings.ToLower(r.Host)]:
		return http.StatusMisdirectedRequest, errHost
	case !d.same(r):
		return http.StatusForbidden, errOrigin
	case r.URL.Path != "/stop" && !d.rates.allow(from(r)):
		return http.StatusTooManyRequests, errFast
	}
	return 0, nil
}

// same reports whether a request comes from this page. One that changes something has to say so.
func (d *door) same(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	own := origin == d.scheme+"://"+r.Host
	switch {
	case r.Method == http.MethodPost:
		return own && (site == "" || site == "same-origin")
	case origin != "" && !own:
		return false
	case site == "cross-site" || site == "same-site":
		return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
	return true
}

// who is the visit of a request; the zero visit for one without a token.
func (d *door) who(r *http.Request) visit {
	c, err := r.Cookie(d.cookie)
	if err != nil {
		return visit{}
	}
	d.Lock()
	defer d.Unlock()
	if v := d.sessions[c.Value]; v != nil {
		return *v
	}
	return visit{}
}

// sees reports whether a request may look. A program that reads metrics shows the token in a header.
func (d *door) sees(r *http.Request) bool {
	if d.open || d.who(r).Number > 0 {
		return true
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && (equal(token, d.view) || equal(token, d.arm))
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// enter begins a visit with a token. The first one with the token of arming has the arming right.
func (d *door) enter(r *http.Request, token string) (*http.Cookie, error) {
	arm := equal(token, d.arm)
	if !arm && !equal(token, d.view) {
		if !d.logins.allow(from(r)) {
			return nil, errFast
		}
		return nil, errToken
	}
	d.Lock()
	defer d.Unlock()
	if len(d.sessions) >= visitsMost {
		d.forget()
	}
	d.numbers++
	v, value := &visit{you{d.numbers, arm}, from(r)}, secret()
	d.sessions[value] = v
	if arm && d.holding == 0 {
		d.hold(v)
	}
	return &http.Cookie{Name: d.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: d.scheme == "https"}, nil
}

// forget forgets the oldest visit, and one that may arm only where there is no other. Its
// browser shows its token again.
func (d *door) forget() {
	oldest, found := "", visit{}
	for value, v := range d.sessions {
		if v.Number != d.holding && (oldest == "" || v.Arm == found.Arm && v.Number < found.Number || found.Arm && !v.Arm) {
			oldest, found = value, *v
		}
	}
	delete(d.sessions, oldest)
}

// hold gives a visit the arming right.
func (d *door) hold(v *visit) {
	d.holding = v.Number
	d.holder(v.Number)
	d.say(fmt.Sprintf("page: %s has the arming right", v))
}

// String names a visit.
func (v *visit) String() string { return fmt.Sprintf("viewer %d at %s", v.Number, v.from) }

// take gives the arming right to the visit of a request, which has shown the token of arming.
func (d *door) take(r *http.Request) error {
	of := d.who(r)
	if !of.Arm {
		return errToken
	}
	d.Lock()
	defer d.Unlock()
	if d.holding != of.Number {
		d.hold(&of)
	}
	return nil
}

// mayArm wants the one that has the arming right.
func (d *door) mayArm(r *http.Request) (visit, error) {
	v := d.who(r)
	if !v.Arm {
		return v, errToken
	}
	d.Lock()
	defer d.Unlock()
	if d.holding != v.Number {
		return v, fmt.Errorf("viewer %d has the arming right: take it over first", d.holding)
	}
	return v, nil
}

// from is the address of a request, without its port.
func from(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// rates let each address do so much at once, and so much per second later on.
type rates struct {
	most, perS float64
	sync.Mutex
	of map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// addressesMost bounds the memory of rates. Beyond, all begin anew.
const addressesMost = 1024

func (r *rates) allow(who string) bool {
	r.Lock()
	defer r.Unlock()
	if r.of == nil || len(r.of) >= addressesMost {
		r.of = map[string]*bucket{}
	}
	b, now := r.of[who], time.Now()
	if b == nil {
		b = &bucket{r.most, now}
		r.of[who] = b
	}
	b.left = min(r.most, b.left+r.perS*now.Sub(b.at).Seconds())
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
