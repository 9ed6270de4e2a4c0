package main

import (
	"net/http/httptest"
	"testing"
)

// The website is read on this computer: its pages, and nothing else.
func TestSiteHandler(t *testing.T) {
	h := siteHandler(map[string][]byte{"index.html": []byte("start"), "page.css": []byte("body {}"),
		"a/b.html": []byte("b")})
	for _, c := range []struct {
		method, path string
		code         int
		body, kind   string
	}{
		{"GET", "/", 200, "start", "text/html; charset=utf-8"}, {"GET", "/a/b.html", 200, "b", "text/html; charset=utf-8"},
		{"GET", "/page.css", 200, "body {}", "text/css; charset=utf-8"},
		{"GET", "/a/../page.css", 200, "body {}", "text/css; charset=utf-8"},
		{"GET", "/a", 404, "", ""}, {"GET", "/../../etc/passwd", 404, "", ""}, {"POST", "/", 404, "", ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.code || c.code == 200 && (w.Body.String() != c.body || w.Header().Get("Content-Type") != c.kind) {
			t.Errorf("%s %s: %d %q %s: want %+v", c.method, c.path, w.Code, w.Body, w.Header().Get("Content-Type"), c)
		}
	}
}
