package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Desk answers the calls of the workbench (package workbench).
type Desk interface {
	// Call answers the call of that name with something that encoding/json can write. It ends where ctx does.
	Call(ctx context.Context, name string, in []byte, progress func(share float64)) (any, error)
	// Report writes the report of a run in the desk's folder.
	Report(w io.Writer, folder string) error
	// Export writes the record of a run in the desk's folder, as the file of that name in an archive: frames.csv, ….
	Export(w io.Writer, folder, file string) error
}

// Workbench serves the page of rths ui, which hands its calls to a desk.
type Workbench struct {
	place
	desk  Desk
	door  *door
	http  *http.Server
	files map[string][]byte // of the page
	docs  map[string][]byte // by path below docs/
}

// policyOf is the policy of the workbench: the editor writes its style into the page, marked by the nonce.
func policyOf(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// A workbench is asked at every keystroke.
const (
	callsAtOnce = 400
	callsPerS   = 120
	mostBody    = 8 << 20
)

// ListenWorkbench serves the files of a page, which hands its calls to a desk, at an address, and the documentation
// under /docs/. Who looks on needs the token, also on this computer.
func ListenWorkbench(address string, desk Desk, files, docs map[string][]byte) (*Workbench, error) {
	at, err := listenAt("--listen", address)
	if err != nil {
		return nil, err
	}
	w := &Workbench{place: at, desk: desk, files: files, docs: docs}
	w.door = newDoor(at.listen, at.host, at.loopback, func(string) {}, func(int) {})
	w.door.open = false
	w.door.rates = rates{most: callsAtOnce, perS: callsPerS}
	w.http = newHTTP(w.handler())
	go func() { _ = w.http.Serve(at.listen) }()
	return w, nil
}

// URL is the address with the token in its fragment, which browsers send to nobody.
func (w *Workbench) URL() string { return w.door.scheme + "://" + w.address() + "/#" + w.door.view }

// Fingerprint is the SHA-256 of the certificate; empty on loopback, which has none.
func (w *Workbench) Fingerprint() string { return w.print }

// Close ends all connections.
func (w *Workbench) Close() { closeHTTP(w.http) }

func (w *Workbench) handler() http.Handler {
	m := http.NewServeMux()
	nonce := secret()
	for name, content := range w.files {
		path := "/" + name
		if name == "index.html" {
			path, content = "/{$}", []byte(strings.ReplaceAll(string(content), "{{nonce}}", nonce))
		}
		m.HandleFunc("GET "+path, func(out http.ResponseWriter, r *http.Request) { writeAsset(out, name, content) })
	}
	m.HandleFunc("GET /favicon.ico", func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(http.StatusNoContent)
	})
	m.HandleFunc("POST /login", w.door.login)
	m.HandleFunc("GET /docs/{path...}", w.door.seen(w.doc))
	m.HandleFunc("GET /report/{folder...}", w.door.seen(w.report))
	m.HandleFunc("GET /export/{file}/{folder...}", w.door.seen(w.export))
	m.HandleFunc("POST /call/{name}", w.door.seen(w.call))
	return w.door.guard(m, policyOf(nonce), mostBody)
}

// doc is a page of the documentation. Its script is a file beside it.
func (w *Workbench) doc(out http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	content, ok := w.docs[name]
	if !ok {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Security-Policy", docsPolicy)
	writeAsset(out, name, content)
}

// report is the report of a run in the folder, made anew.
func (w *Workbench) report(out http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	if err := w.desk.Report(&text, r.PathValue("folder")); err != nil {
		refuse(out, http.StatusNotFound, err)
		return
	}
	out.Header().Set("Content-Security-Policy", reportPolicy)
	writeAsset(out, "report.html", text.Bytes())
}

const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// replyLine is a line of the answer to a call: a share that is done, or the end.
type replyLine struct {
	Share float64 `json:"share,omitempty"`
	OK    any     `json:"ok,omitempty"`
	Error string  `json:"error,omitempty"`
	Gone  bool    `json:"gone,omitempty"` // the page has asked for something newer
}

// shareEvery is how often the share of a call that takes long is told.
const shareEvery = 100 * time.Millisecond

// call hands a call to the desk. The answer is lines of JSON; the last one has ok, error or gone. Where the page goes
// away or asks for something newer, the call ends.
func (w *Workbench) call(out http.ResponseWriter, r *http.Request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(out, http.StatusUnsupportedMediaType, errors.New("want application/json"))
		return
	}
	in, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(out, http.StatusRequestEntityTooLarge, err)
		return
	}
	out.Header().Set("Content-Type", "application/x-ndjson")
	var writing sync.Mutex
	to := json.NewEncoder(out)
	last := time.Now()
	progress := func(share float64) {
		writing.Lock()
		defer writing.Unlock()
		if time.Since(last) < shareEvery {
			return
		}
		last = time.Now()
		_ = to.Encode(replyLine{Share: share})
		_ = http.NewResponseController(out).Flush()
	}
	end := w.answer(r.Context(), r.PathValue("name"), in, progress)
	text, err := json.Marshal(end)
	if err != nil {
		text, _ = json.Marshal(replyLine{Error: fmt.Sprintf("the answer cannot be written: %v; please report this", err)})
	}
	writing.Lock()
	defer writing.Unlock()
	_, _ = out.Write(append(text, '\n'))
}

// answer is the end of a call. A panic of one call does not end the page.
func (w *Workbench) answer(ctx context.Context, name string, in []byte, progress func(float64)) (end replyLine) {
	defer func() {
		if p := recover(); p != nil {
			end = replyLine{Error: fmt.Sprintf("the program has failed: %v; please report this", p)}
		}
	}()
	v, err := w.desk.Call(ctx, name, in, progress)
	switch {
	case ctx.Err() != nil:
		return replyLine{Gone: true}
	case err != nil:
		return replyLine{Error: err.Error()}
	}
	return replyLine{OK: v}
}
