package page

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
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
	client := &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.print != "" {
		client.Transport = &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
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
	return append([]string{"Origin", o.door.scheme + "://" + o.Server.Address(), "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin"}, more...)
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
	o.want(http.StatusNoContent, o.call("POST", "/take", "{}", o.own("Cookie", second)...))
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
	o.want(http.StatusUnsupportedMediaType, o.call("POST", "/answer", yes, append(o.own("Cookie", second), "Content-Type", "text/plain")...))
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
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

// Off loopback: TLS with the printed certificate, and a token to look on.
func TestOffLoopback(t *testing.T) {
	o := open(t, func(c *Config) { c.Address = "0.0.0.0:0" })
	words := strings.Join(o.Words(), "\n")
	if !strings.Contains(words, o.print) || len(o.print) != 95 || !strings.Contains(words, "https://") || strings.Contains(words, "?") {
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
		os.Mkdir(run, 0o755), os.WriteFile(filepath.Join(run, "manifest.json"), []byte("{}"), 0o644), os.Mkdir(filepath.Join(run, "folder"), 0o755),
		os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o644), os.Symlink(filepath.Join(dir, "secret"), filepath.Join(run, "link")), os.Symlink("/etc", filepath.Join(run, "etc")),
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
	for _, name := range []string{"..%2fsecret", "%2e%2e%2fsecret", "link", "etc", "etc%2fpasswd", "folder", ".", "..", "missing", "%2fetc%2fpasswd", "manifest.json%00"} {
		r := o.call("GET", "/record/"+name, "")
		if text, _ := io.ReadAll(r.Body); r.StatusCode < 300 || strings.Contains(string(text), "secret") || strings.Contains(string(text), "root:") {
			t.Errorf("%s: %s %s", name, r.Status, text)
		}
	}
}

// The page is small.
func TestPageIsSmall(t *testing.T) {
	o := open(t, nil)
	sum := 0
	for _, path := range []string{"/", "/page.css", "/plot.js", "/draw.js", "/page.js", "/uplot.js", "/uplot.css"} {
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
		return strings.Contains(string(text), "\nrths_state{state=\"running\"} 1\n") && strings.Contains(string(text), "\nrths_rows_total 300\n") &&
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

// A page is known under the names that reach it, also where a browser leaves the port out.
func TestNames(t *testing.T) {
	for given, want := range map[string][]string{
		"127.0.0.2:7480": {"127.0.0.2:7480"},
		"127.0.0.1:80":   {"127.0.0.1", "127.0.0.1:80", "localhost"},
		"control:443":    {"control", "control:443", "192.0.2.7", "192.0.2.7:443"},
		"localhost:7480": {"localhost:7480", "127.0.0.1:7480"},
	} {
		host, port, _ := net.SplitHostPort(given)
		at := host
		if net.ParseIP(host) == nil {
			at = map[bool]string{true: "127.0.0.1", false: "192.0.2.7"}[host == "localhost"]
		}
		d := newDoor(listenerAt(net.JoinHostPort(at, port)), host, host != "control", nil, nil)
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
	if want := []string{"200 report 1", "200 report 1", "404 " + errNoReport.Error(), "200 report 2"}; !slices.Equal(got, want) {
		t.Errorf("reports %q: want %q", got, want)
	}
}
