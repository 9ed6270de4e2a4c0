package page

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// call makes a request; head is pairs of names and values.
func (o *opened) call(method, path, body string, head ...string) *http.Response {
	o.Helper()
	r, err := http.NewRequest(method, o.door.scheme+"://"+o.Server.Address()+path, strings.NewReader(body))
	if err != nil {
		o.Fatal(err)
	}
	for i := 0; i+1 < len(head); i += 2 {
		if head[i] == "Host" {
			r.Host = head[i+1]
			continue
		}
		r.Header.Set(head[i], head[i+1])
	}
	client := &http.Client{Timeout: 10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.print != "" {
		client.Transport = &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true,
				VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
					if got := fingerprint(raw[0]); got != o.print {
						o.Errorf("certificate %s: want the printed one, %s", got, o.print)
					}
					return nil
				}}}
	}
	out, err := client.Do(r)
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { out.Body.Close() })
	return out
}

// own is what a browser sends from the page itself.
func (o *opened) own(more ...string) []string {
	return append([]string{"Origin", o.door.scheme + "://" + o.Server.Address(), "Content-Type", "application/json",
		"Sec-Fetch-Site", "same-origin"}, more...)
}

// login shows a token and gives the cookie.
func (o *opened) login(token string) string {
	o.Helper()
	r := o.call("POST", "/login", `{"token":"`+token+`"}`, o.own()...)
	if r.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(r.Body)
		o.Fatalf("login: %s: %s", r.Status, text)
	}
	c := r.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure != (o.door.scheme == "https") {
		o.Errorf("cookie %v: want HttpOnly, SameSite=Strict, and Secure with TLS", c)
	}
	return c.Name + "=" + c.Value
}

func (o *opened) want(status int, r *http.Response) {
	o.Helper()
	if r.StatusCode != status {
		text, _ := io.ReadAll(r.Body)
		o.Errorf("%s %s: %s %s: want status %d", r.Request.Method, r.Request.URL.Path, r.Status, text, status)
	}
}

// Requests under another name or from another site are refused, whatever they ask for, and nothing is stopped.
func TestWrongHostAndForeignOrigin(t *testing.T) {
	o := open(t, nil)
	_, port, _ := strings.Cut(o.Server.Address(), ":")
	for _, path := range []string{"/", "/events", "/you", "/metrics", "/healthz", "/page.js"} {
		o.want(http.StatusMisdirectedRequest, o.call("GET", path, "", "Host", "evil.example:"+port))
		o.want(http.StatusMisdirectedRequest, o.call("GET", path, "", "Host", "127.0.0.1:1"))
		o.want(http.StatusForbidden, o.call("GET", path, "", "Origin", "http://evil.example"))
	}
	for _, path := range []string{"/stop", "/login", "/answer", "/take"} {
		for _, head := range [][]string{
			{"Origin", "http://evil.example"}, {"Origin", "null"}, {}, {"Origin", "https://" + o.Server.Address()},
			{"Origin", "http://" + o.Server.Address(), "Sec-Fetch-Site", "cross-site"}, {"Origin", "http://localhost:1"},
		} {
			o.want(http.StatusForbidden, o.call("POST", path, "{}", append(head, "Content-Type", "application/json")...))
		}
		o.want(http.StatusMisdirectedRequest, o.call("POST", path, "{}", o.own("Host", "evil.example")...))
	}
	o.want(http.StatusForbidden, o.call("GET", "/events", "", "Sec-Fetch-Site", "cross-site"))
	o.want(http.StatusOK, o.call("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"))
	o.want(http.StatusOK, o.call("GET", "/you", "", "Host", "LOCALHOST:"+port))
	select {
	case who := <-o.stops:
		t.Errorf("%s has stopped the test", who)
	default:
	}
	o.want(http.StatusNoContent, o.call("POST", "/stop", "{}", o.own()...))
	if who := <-o.stops; who != "the page at 127.0.0.1" {
		t.Errorf("stopped by %q", who)
	}
}

// Arming wants the token, and the arming right, which one viewer has at a time.
func TestArmingRight(t *testing.T) {
	o := open(t, nil)
	answers, _ := o.Hub.Ask(Question{Step: "ARM", Want: "ARM"})
	yes := `{"number":1,"text":"ARM"}`
	o.want(http.StatusForbidden, o.call("POST", "/answer", yes, o.own()...))
	o.want(http.StatusForbidden, o.call("POST", "/answer", yes, o.own("Cookie", o.door.cookie+"=guess")...))
	o.want(http.StatusForbidden, o.call("POST", "/answer?token="+o.door.arm, yes, o.own()...))
	o.want(http.StatusForbidden, o.call("POST", "/login", `{"token":"guess"}`, o.own()...))
	viewer, first, second := o.login(o.door.view), o.login(o.door.arm), o.login(o.door.arm)
	o.want(http.StatusForbidden, o.call("POST", "/answer", yes, o.own("Cookie", viewer)...))
	o.want(http.StatusForbidden, o.call("POST", "/take", "{}", o.own("Cookie", viewer)...))
	o.want(http.StatusForbidden, o.call("POST", "/answer", yes, o.own("Cookie", second)...))
	if n := o.Hub.holder.Load(); n != 2 {
		t.Errorf("viewer %d is shown with the arming right: want 2", n)
	}
	o.want(http.StatusNoContent, o.call("POST", "/take", "{}", o.own("Cookie", second)...))
	if n := o.Hub.holder.Load(); n != 3 {
		t.Errorf("viewer %d is shown with the arming right: want 3", n)
	}
	o.want(http.StatusForbidden, o.call("POST", "/answer", yes, o.own("Cookie", first)...))
	o.want(http.StatusConflict, o.call("POST", "/answer", `{"number":1,"text":"yes"}`, o.own("Cookie", second)...))
	o.want(http.StatusConflict, o.call("POST", "/answer", `{"number":2,"text":"ARM"}`, o.own("Cookie", second)...))
	select {
	case a := <-answers:
		t.Fatalf("answered %v", a)
	default:
	}
	o.want(http.StatusNoContent, o.call("POST", "/answer", yes, o.own("Cookie", second)...))
	if a := <-answers; a.Text != "ARM" || a.Who != "the page, viewer 3 at 127.0.0.1" {
		t.Errorf("answer %v", a)
	}
	o.want(http.StatusConflict, o.call("POST", "/answer", yes, o.own("Cookie", second)...))
	o.want(http.StatusUnsupportedMediaType, o.call("POST", "/answer", yes,
		append(o.own("Cookie", second), "Content-Type", "text/plain")...))
	o.want(http.StatusBadRequest, o.call("POST", "/answer", strings.Repeat(" ", 5000)+yes, o.own("Cookie", second)...))
}

// Tokens are not guessed quickly, and requests in haste are refused; a stop never is.
func TestRates(t *testing.T) {
	o := open(t, nil)
	last := 0
	for range 8 {
		last = o.call("POST", "/login", `{"token":"guess"}`, o.own()...).StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the eighth guess: status %d, want %d", last, http.StatusTooManyRequests)
	}
	for i := 0; last != http.StatusTooManyRequests || i < 8; i++ {
		if last = o.call("GET", "/you", "").StatusCode; i > 1000 {
			t.Fatal("1000 requests in haste were served")
		}
	}
	o.door.rates.of["127.0.0.1"].left = 0
	o.want(http.StatusNoContent, o.call("POST", "/stop", "{}", o.own()...))
}

// Every answer forbids what the page does not need.
func TestHeaders(t *testing.T) {
	o := open(t, nil)
	for _, path := range []string{"/", "/page.js", "/you", "/missing", "/stop"} {
		h := o.call("GET", path, "").Header
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
			h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

// Off loopback: TLS with the printed certificate, and a token to look on.
func TestOffLoopback(t *testing.T) {
	o := open(t, func(c *Config) { c.Address = "0.0.0.0:0" })
	words := strings.Join(o.Words(), "\n")
	if !strings.Contains(words, o.print) || len(o.print) != 95 || !strings.Contains(words, "https://") ||
		strings.Contains(words, "?") {
		t.Errorf("words %q: want the fingerprint and addresses with the token behind #", words)
	}
	for _, path := range []string{"/events", "/metrics", "/report", "/record/manifest.json"} {
		o.want(http.StatusUnauthorized, o.call("GET", path, ""))
	}
	o.want(http.StatusUnauthorized, o.call("POST", "/stop", "{}", o.own()...))
	o.want(http.StatusOK, o.call("GET", "/", ""))
	o.want(http.StatusOK, o.call("GET", "/metrics", "", "Cookie", o.login(o.door.view)))
	o.want(http.StatusOK, o.call("GET", "/metrics", "", "Authorization", "Bearer "+o.door.view))
	o.want(http.StatusUnauthorized, o.call("GET", "/metrics", "", "Authorization", "Bearer guess"))
}

// Files come from the folder of the record alone.
func TestFilesStayInTheFolder(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	for _, err := range []error{
		os.Mkdir(run, 0o755), os.WriteFile(filepath.Join(run, "manifest.json"), []byte("{}"), 0o644),
		os.Mkdir(filepath.Join(run, "folder"), 0o755),
		os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o644),
		os.Symlink(filepath.Join(dir, "secret"), filepath.Join(run, "link")), os.Symlink("/etc", filepath.Join(run, "etc")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := open(t, func(c *Config) { c.Folder = func() string { return run } })
	r := o.call("GET", "/record/manifest.json", "")
	if text, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || string(text) != "{}" {
		t.Errorf("manifest.json: %s %s", r.Status, text)
	}
	for _, name := range []string{"..%2fsecret", "%2e%2e%2fsecret", "link", "etc", "etc%2fpasswd", "folder", ".", "..",
		"missing", "%2fetc%2fpasswd", "manifest.json%00"} {
		r := o.call("GET", "/record/"+name, "")
		if text, _ := io.ReadAll(r.Body); r.StatusCode < 300 || strings.Contains(string(text), "secret") ||
			strings.Contains(string(text), "root:") {
			t.Errorf("%s: %s %s", name, r.Status, text)
		}
	}
}

// A large file comes whole, though it is sent piece by piece.
func TestLargeFile(t *testing.T) {
	dir, text := t.TempDir(), strings.Repeat("0123456789", 50_000)
	if err := os.WriteFile(filepath.Join(dir, "frames.arrow"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o := open(t, func(c *Config) { c.Folder = func() string { return dir } })
	if got, err := io.ReadAll(o.call("GET", "/record/frames.arrow", "").Body); err != nil || string(got) != text {
		t.Errorf("%d of %d bytes, %v", len(got), len(text), err)
	}
	if n, err := newPatient(httptest.NewRecorder()).Write([]byte(text)); err != nil || n != len(text) {
		t.Errorf("%d of %d bytes, %v", n, len(text), err)
	}
}

// The page is small.
func TestPageIsSmall(t *testing.T) {
	o := open(t, nil)
	sum := 0
	for _, path := range []string{"/", "/page.css", "/plot.js", "/draw.js", "/motion.js", "/page.js", "/uplot.js",
		"/uplot.css"} {
		text, _ := io.ReadAll(o.call("GET", path, "").Body)
		if len(text) == 0 {
			t.Errorf("%s is empty", path)
		}
		sum += len(text)
	}
	if sum > 150e3 {
		t.Errorf("the page has %d bytes: want at most 150 000", sum)
	}
}

// Metrics and health.
func TestMetrics(t *testing.T) {
	o := open(t, nil)
	for k := range 300 {
		o.feed.Row(rowAt(k, 30))
	}
	o.until2(func() bool {
		o.feed.Show(Now{Word: "RUNNING", Tick: 300})
		text, _ := io.ReadAll(o.call("GET", "/metrics", "").Body)
		return strings.Contains(string(text), "\nrths_state{state=\"running\"} 1\n") &&
			strings.Contains(string(text), "\nrths_rows_total 300\n") &&
			strings.Contains(string(text), "\nrths_limit_ratio{channel=\"measured_m\",action=\"ramp\"} 0.975")
	})
	o.want(http.StatusOK, o.call("GET", "/healthz", ""))
	o.until2(func() bool { return o.call("GET", "/healthz", "").StatusCode == http.StatusServiceUnavailable })
	o.Hub.Conclude("TRIPPED", "", Verdict{Status: "tripped"})
	o.until2(func() bool { return o.call("GET", "/healthz", "").StatusCode == http.StatusOK })
}

func (o *opened) until2(so func() bool) {
	o.Helper()
	for deadline := time.Now().Add(10 * time.Second); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.Fatal("not in 10 s")
		}
	}
}

// Many browsers come and go: the oldest is forgotten, and not the one that may arm. Right tokens are never too many.
func TestManyVisits(t *testing.T) {
	o := open(t, nil)
	oldest, arms := o.login(o.door.view), o.login(o.door.arm)
	for range 3 * visitsMost {
		o.door.rates.of = nil
		o.login(o.door.view)
	}
	if n := len(o.door.sessions); n > visitsMost {
		t.Errorf("%d visits are remembered: want at most %d", n, visitsMost)
	}
	told := func(cookie string) (out you) {
		o.door.rates.of = nil
		if err := json.NewDecoder(o.call("GET", "/you", "", "Cookie", cookie).Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if a, b := told(oldest), told(arms); a.Number != 0 || !b.Arm {
		t.Errorf("the oldest browser is %+v, the one that may arm %+v: want the first forgotten", a, b)
	}
	o.login(o.door.arm)
}

// Of many visits the oldest one is forgotten that only looks; where all may arm, the oldest of them; never the one that
// has the arming right.
func TestForget(t *testing.T) {
	for _, c := range []struct {
		looks, arms   []int
		holding, want int
	}{
		{[]int{3, 5, 4}, nil, 0, 3}, {[]int{4, 5, 6}, []int{1, 2}, 2, 4}, {nil, []int{2, 3, 4}, 2, 3},
		{[]int{1, 2}, []int{3}, 3, 1}, {nil, []int{1, 2, 3}, 0, 1},
	} {
		for range 20 { // the order of a map is another one each time
			d := &door{holding: c.holding, sessions: map[string]*visit{}}
			for arm, list := range map[bool][]int{false: c.looks, true: c.arms} {
				for _, n := range list {
					d.sessions[fmt.Sprint(n)] = &visit{you: you{n, arm}}
				}
			}
			d.forget()
			if _, ok := d.sessions[fmt.Sprint(c.want)]; ok || len(d.sessions) != len(c.looks)+len(c.arms)-1 {
				t.Fatalf("%+v: visit %d is remembered, %d in all: want it forgotten", c, c.want, len(d.sessions))
			}
		}
	}
}

// Right tokens in a header want no patience, and wrong ones get in nowhere.
func TestBearer(t *testing.T) {
	o := open(t, func(c *Config) { c.Address = "0.0.0.0:0" })
	for range 20 {
		o.want(http.StatusOK, o.call("GET", "/metrics", "", "Authorization", "Bearer "+o.door.view))
	}
	o.want(http.StatusNoContent, o.call("POST", "/stop", "{}", o.own("Authorization", "Bearer "+o.door.view)...))
	o.want(http.StatusUnauthorized, o.call("POST", "/stop", "{}", o.own("Authorization", "Bearer guess")...))
	o.login(o.door.arm)
}

// An address has so many requests at once, and later so many per second, never more than at once. Another address has
// its own. Where there are too many addresses all begin anew.
func TestRatesOfAnAddress(t *testing.T) {
	r := rates{most: 3, perS: 1e-3} // the test itself takes no time
	allowed := func(who string) (n int) {
		for r.allow(who) {
			n++
		}
		return n
	}
	pass := func(who string, s float64) { r.of[who].at = r.of[who].at.Add(-time.Duration(s * float64(time.Second))) }
	if a, b := allowed("a"), allowed("b"); a != 3 || b != 3 {
		t.Errorf("%d and %d requests of two addresses: want 3 each", a, b)
	}
	for _, c := range []struct {
		s    float64
		want int
	}{{1500, 1}, {600, 1}, {500, 0}, {1e6, 3}, {900, 0}} { // 1.5, 0.5 + 0.6, 0.1 + 0.5, all, 0.9
		if pass("a", c.s); allowed("a") != c.want {
			t.Errorf("%g s later: want %d requests", c.s, c.want)
		}
	}
	for k := range addressesMost - 2 {
		r.allow(fmt.Sprint(k))
	}
	if len(r.of) != addressesMost || !r.allow("c") || len(r.of) != 1 || allowed("b") != 3 {
		t.Errorf("%d addresses: want all forgotten when there were %d", len(r.of), addressesMost)
	}
}

// The origin of a request counts: only this page may change something, and no other site gets an answer except
// for a person who goes to the page.
func TestSame(t *testing.T) {
	d := &door{scheme: "https"}
	for _, c := range []struct {
		method, origin, site, mode, path string
		want                             bool
	}{
		{"GET", "", "", "", "/events", true}, {"GET", "https://here", "", "", "/events", true},
		{"GET", "http://here", "", "", "/events", false},
		{"GET", "", "same-origin", "", "/events", true}, {"GET", "", "none", "", "/events", true},
		{"GET", "", "cross-site", "navigate", "/", true}, {"GET", "", "same-site", "navigate", "/", true},
		{"GET", "", "same-site", "cors", "/", false},
		{"GET", "", "cross-site", "cors", "/", false}, {"GET", "", "cross-site", "navigate", "/events", false},
		{"GET", "https://there", "cross-site", "navigate", "/", false},
		{"POST", "https://here", "", "", "/stop", true}, {"POST", "https://here", "same-origin", "", "/stop", true},
		{"POST", "", "same-origin", "", "/stop", false},
		{"POST", "https://here", "same-site", "", "/stop", false}, {"POST", "https://there", "", "", "/stop", false},
		{"POST", "", "", "", "/stop", false},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Host = "here"
		for name, v := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode} {
			if v != "" {
				r.Header.Set(name, v)
			}
		}
		if got := d.same(r); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// The address of a request has no port, and what has none is taken as it is.
func TestFrom(t *testing.T) {
	for remote, want := range map[string]string{"192.0.2.7:1234": "192.0.2.7", "[::1]:80": "::1", "@": "@"} {
		if got := from(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %q: want %q", remote, got, want)
		}
	}
}

// The printed address is one that a browser can open: a name of this computer where the page
// listens at all of its addresses.
func TestAddress(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"0.0.0.0:7480": name + ":7480", "127.0.0.1:80": "127.0.0.1:80",
		"[::]:81": name + ":81"} {
		if got := (&Server{place: place{listen: listenerAt(at)}}).Address(); got != want {
			t.Errorf("%s: %s: want %s", at, got, want)
		}
	}
}

// The certificate holds every name of the page, addresses as addresses, for a month.
func TestCertificate(t *testing.T) {
	c, print, err := newCertificate([]string{"control", "192.0.2.7", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	of, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"control", "192.0.2.7", "::1"} {
		if err := of.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if len(of.DNSNames) != 1 || len(of.IPAddresses) != 2 || of.SerialNumber.Sign() <= 0 ||
		!of.NotBefore.Before(time.Now()) {
		t.Errorf("names %v, addresses %v, number %v, from %v", of.DNSNames, of.IPAddresses, of.SerialNumber, of.NotBefore)
	}
	if month := of.NotAfter.Sub(of.NotBefore); month < 30*24*time.Hour || month > 31*24*time.Hour {
		t.Errorf("valid for %v: want 30 days", month)
	}
	if sum := sha256.Sum256(of.Raw); strings.ReplaceAll(print, ":", "") != strings.ToUpper(hex.EncodeToString(sum[:])) {
		t.Errorf("fingerprint %s: want %X", print, sum)
	}
}

// A connection that sends nothing is let go, and one that looks on is not.
func TestConnectionsAreBounded(t *testing.T) {
	o := open(t, nil)
	for name, d := range map[string]time.Duration{"header": o.http.ReadHeaderTimeout, "request": o.http.ReadTimeout,
		"idle": o.http.IdleTimeout} {
		if d < time.Second || d > time.Minute {
			t.Errorf("%s: %v: want 1 s to 1 min", name, d)
		}
	}
	if o.http.WriteTimeout != 0 || o.http.MaxHeaderBytes < 4<<10 || o.http.MaxHeaderBytes > 64<<10 {
		t.Errorf("writing %v, header of %d bytes: want no end of the events, and 4 to 64 KB", o.http.WriteTimeout,
			o.http.MaxHeaderBytes)
	}
}

// Files of the page have their kinds, and what is not there is not found.
func TestKinds(t *testing.T) {
	o := open(t, nil)
	for path, want := range map[string]string{"/": "text/html; charset=utf-8", "/page.css": "text/css; charset=utf-8",
		"/page.js": "text/javascript; charset=utf-8", "/you": "application/json", "/events": "text/event-stream"} {
		r := o.call("GET", path, "")
		if o.want(http.StatusOK, r); r.Header.Get("Content-Type") != want {
			t.Errorf("%s is %q: want %q", path, r.Header.Get("Content-Type"), want)
		}
	}
	o.want(http.StatusNoContent, o.call("GET", "/favicon.ico", ""))
	o.want(http.StatusNotFound, o.call("GET", "/missing", ""))
	o.want(http.StatusNotFound, o.call("GET", "/report", ""))
	o.want(http.StatusNotFound, o.call("GET", "/record/manifest.json", ""))
	o.want(http.StatusMethodNotAllowed, o.call("GET", "/stop", ""))
}

// A stop names who has asked for it, and the first browser with the token of arming has the right
// to; taking it again says nothing.
func TestWhoStops(t *testing.T) {
	var said []string
	holder := 0
	o := open(t, nil)
	o.door.say, o.door.holder = func(text string) { said = append(said, text) }, func(n int) { holder = n }
	viewer, first, second := o.login(o.door.view), o.login(o.door.arm), o.login(o.door.arm)
	if holder != 2 {
		t.Errorf("viewer %d has the arming right: want the first that may arm, 2", holder)
	}
	for range 2 {
		o.want(http.StatusNoContent, o.call("POST", "/take", "{}", o.own("Cookie", second)...))
	}
	if want := []string{"page: viewer 2 at 127.0.0.1 has the arming right",
		"page: viewer 3 at 127.0.0.1 has the arming right"}; holder != 3 || !slices.Equal(said, want) {
		t.Errorf("viewer %d has the arming right, said %q: want 3 and %q", holder, said, want)
	}
	for i, cookie := range []string{viewer, first} {
		o.want(http.StatusNoContent, o.call("POST", "/stop", "{}", o.own("Cookie", cookie)...))
		if who, want := <-o.stops, fmt.Sprintf("the page, viewer %d at 127.0.0.1", i+1); who != want {
			t.Errorf("stopped by %q: want %q", who, want)
		}
	}
}

// A page is known under the names that reach it, also where a browser leaves the port out.
func TestNames(t *testing.T) {
	for given, want := range map[string][]string{
		"127.0.0.2:7480": {"127.0.0.2:7480"},
		"127.0.0.1:80":   {"127.0.0.1", "127.0.0.1:80", "localhost"},
		"control:443":    {"control", "control:443", "192.0.2.7", "192.0.2.7:443"},
		"localhost:7480": {"localhost:7480", "127.0.0.1:7480"},
		"0.0.0.0:7480":   {"127.0.0.1:7480", "localhost:7480", "[::1]:7480"},
	} {
		host, port, _ := net.SplitHostPort(given)
		at := host
		if net.ParseIP(host) == nil {
			at = map[bool]string{true: "127.0.0.1", false: "192.0.2.7"}[host == "localhost"]
		}
		d := newDoor(listenerAt(net.JoinHostPort(at, port)), host, host != "control" && host != "0.0.0.0", nil, nil)
		if d.hosts["0.0.0.0:"+port] {
			t.Errorf("--page %s is known as 0.0.0.0, which is nobody's name", given)
		}
		for _, name := range want {
			if !d.hosts[name] {
				t.Errorf("--page %s is not known as %s: %v", given, name, d.hosts)
			}
		}
	}
}

type listenerAt string

func (l listenerAt) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (l listenerAt) Close() error              { return nil }
func (l listenerAt) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(string(l)))
}

// The report is of the test that has ended last, and a viewer that reads none of it keeps it from nobody.
func TestReportOfEveryTest(t *testing.T) {
	n := 0
	o := open(t, func(c *Config) {
		c.Report = func(w io.Writer) error {
			n++
			_, err := fmt.Fprintf(w, "report %d%s", n, strings.Repeat(" ", 8<<20))
			return err
		}
	})
	report := func() string {
		r := o.call("GET", "/report", "")
		text, _ := io.ReadAll(r.Body)
		kind, policy := r.Header.Get("Content-Type"), r.Header.Get("Content-Security-Policy")
		shown := kind == "text/html; charset=utf-8" && strings.Contains(policy, "sandbox")
		if shown != (r.StatusCode == http.StatusOK) { // nosniff: what is no HTML is shown as text
			t.Errorf("%s: %v: want HTML in a sandbox, or no report", r.Status, r.Header)
		}
		return r.Status[:3] + " " + strings.TrimSpace(string(text))
	}
	o.Hub.Conclude("", "", Verdict{Status: "completed", Report: true})
	hung, err := net.Dial("tcp", o.Server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	fmt.Fprintf(hung, "GET /report HTTP/1.1\r\nHost: %s\r\n\r\n", o.Server.Address())
	got := []string{report(), report()}
	if _, err := o.Hub.Begin(plainTest(t)); err != nil {
		t.Fatal(err)
	}
	got = append(got, report())
	o.Hub.Conclude("", "", Verdict{Status: "tripped", Report: true})
	got = append(got, report())
	if want := []string{"200 report 1", "200 report 1", "404 " + errNoReport.Error(), "200 report 2"}; !slices.Equal(got,
		want) {
		t.Errorf("reports %q: want %q", got, want)
	}
}
