package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rths/workbench"
	"rths/workbench/front"
)

// served is a workbench with one scenario, and what a client says to it.
type served struct {
	*testing.T
	w *Workbench
}

func serve(t *testing.T, address string) *served {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.yaml"), []byte("name: a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	desk, err := workbench.Open(folder, "", "a test")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ListenWorkbench(address, desk, front.Files(), map[string][]byte{"index.html": []byte("<h1>docs</h1>")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); desk.Close(); http.DefaultClient.CloseIdleConnections() })
	return &served{t, w}
}

// ask makes a request; head is pairs of names and values.
func (s *served) ask(method, path, body string, head ...string) (*http.Response, string) {
	s.Helper()
	r, err := http.NewRequest(method, s.w.door.scheme+"://"+s.w.address()+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(head); i += 2 {
		if r.Header.Set(head[i], head[i+1]); head[i] == "Host" {
			r.Host = head[i+1]
		}
	}
	out, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer out.Body.Close()
	text, err := io.ReadAll(out.Body)
	if err != nil {
		s.Fatal(err)
	}
	return out, string(text)
}

// own is what a browser sends from the page itself.
func (s *served) own(more ...string) []string {
	return append([]string{"Origin", s.w.door.scheme + "://" + s.w.address(), "Content-Type", "application/json",
		"Sec-Fetch-Site", "same-origin"}, more...)
}

// login shows the token of the address and gives the cookie.
func (s *served) login() string {
	s.Helper()
	_, token, _ := strings.Cut(s.w.URL(), "#")
	out, text := s.ask("POST", "/login", `{"token":"`+token+`"}`, s.own()...)
	if out.StatusCode != http.StatusNoContent || len(out.Cookies()) != 1 {
		s.Fatalf("login: %s: %s", out.Status, text)
	}
	c := out.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		s.Errorf("cookie %v: want HttpOnly and SameSite=Strict", c)
	}
	return c.Name + "=" + c.Value
}

func (s *served) want(status int, method, path, body string, head ...string) string {
	s.Helper()
	out, text := s.ask(method, path, body, head...)
	if out.StatusCode != status {
		s.Errorf("%s %s with %q: %s %s: want status %d", method, path, head, out.Status, text, status)
	}
	return text
}

// Calls and documentation want the token, also on this computer; the page itself says nothing of the folder.
func TestWorkbenchDoor(t *testing.T) {
	s, other := serve(t, "127.0.0.1:0"), serve(t, "127.0.0.1:0")
	cookie, foreign := s.login(), other.login()
	name, _, _ := strings.Cut(cookie, "=")
	_, value, _ := strings.Cut(foreign, "=")
	for _, c := range [][]string{nil, {"Cookie", name + "=guess"}, {"Cookie", foreign}, {"Cookie", name + "=" + value}} {
		s.want(http.StatusUnauthorized, "POST", "/call/files", "{}", s.own(c...)...)
		s.want(http.StatusUnauthorized, "GET", "/docs/", "", c...)
		s.want(http.StatusUnauthorized, "GET", "/docs/index.html", "", c...)
	}
	s.want(http.StatusForbidden, "POST", "/login", `{"token":"guess"}`, s.own()...)
	text := s.want(http.StatusOK, "POST", "/call/files", "{}", s.own("Cookie", cookie)...)
	if !strings.Contains(text, "a.yaml") {
		t.Errorf("%s: want the file", text)
	}
	s.want(http.StatusOK, "GET", "/docs/", "", "Cookie", cookie)
	s.want(http.StatusNotFound, "GET", "/docs/none.html", "", "Cookie", cookie)
	_, port, _ := strings.Cut(s.w.address(), ":")
	for _, host := range []string{"evil.example:" + port, "127.0.0.1:1", other.w.address()} {
		head := []string{"Host", host}
		s.want(http.StatusMisdirectedRequest, "POST", "/call/files", "{}", s.own(append(head, "Cookie", cookie)...)...)
		s.want(http.StatusMisdirectedRequest, "GET", "/", "", head...)
	}
	for _, head := range [][]string{{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Origin", ""},
		{"Origin", "http://" + other.w.address()}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
		s.want(http.StatusForbidden, "POST", "/call/files", "{}", s.own(append(head, "Cookie", cookie)...)...)
	}
	s.want(http.StatusUnsupportedMediaType, "POST", "/call/files", "{}",
		s.own("Cookie", cookie, "Content-Type", "text/plain")...)
	s.want(http.StatusMethodNotAllowed, "GET", "/call/files", "", "Cookie", cookie)
}

// No code stands in the page, and none may be added; styles of the editor bear the nonce.
func TestWorkbenchPolicy(t *testing.T) {
	s := serve(t, "127.0.0.1:0")
	out, text := s.ask("GET", "/", "")
	policy := out.Header.Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`name="style-nonce" content="([0-9a-f]{32})"`).FindStringSubmatch(text)
	if nonce == nil || !strings.Contains(policy, "'nonce-"+nonce[1]+"'") {
		t.Errorf("%s: want the nonce of the page", policy)
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'; script-src 'self';") ||
		!strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("%s: want no code but that of files of this page", policy)
	}
	inline := regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|<style| on[a-z]+=| style=|https?://`)
	if bad := inline.FindString(text); bad != "" {
		t.Errorf("the page has %q", bad)
	}
}

// mostCompressed is what all files that the page loads may have together, bytes after gzip -9.
const mostCompressed = 300e3

func TestWorkbenchSize(t *testing.T) {
	s := serve(t, "127.0.0.1:0")
	_, text := s.ask("GET", "/", "")
	names := []string{""}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"/:]+)"`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if len(names) < 12 {
		t.Errorf("%q: want all files of the page", names)
	}
	var all bytes.Buffer
	total := 0
	for _, name := range names {
		out, text := s.ask("GET", "/"+(&url.URL{Path: name}).EscapedPath(), "")
		if out.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, out.Status)
		}
		all.Reset()
		z, err := gzip.NewWriterLevel(&all, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(z, text)
		z.Close()
		total += all.Len()
	}
	if total > mostCompressed {
		t.Errorf("the page has %d bytes compressed: want at most %.0f", total, float64(mostCompressed))
	}
	t.Logf("%d bytes", total)
}

// slow is a desk whose calls take as long as the test wants.
type slow struct{ until chan struct{} }

func (s slow) Call(ctx context.Context, _ string, _ []byte, _ func(float64)) (any, error) {
	select {
	case <-s.until:
		return "done", nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slow) Report(io.Writer, string) error { return nil }

func (slow) Export(io.Writer, string, string) error { return nil }

// A call may take longer than a request has time to come.
func TestLongCall(t *testing.T) {
	desk := slow{make(chan struct{})}
	w := &Workbench{desk: desk}
	server := httptest.NewUnstartedServer(http.HandlerFunc(w.call))
	server.Config.ReadTimeout = 50 * time.Millisecond
	server.Start()
	defer server.Close()
	time.AfterFunc(500*time.Millisecond, func() { close(desk.until) }) // ten times as long
	out, err := http.Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	text, err := io.ReadAll(out.Body)
	if err != nil || string(text) != "{\"ok\":\"done\"}\n" {
		t.Errorf("%q, %v: want the answer", text, err)
	}
}
