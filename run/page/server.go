package page

import (
	"bytes"
	"context"
	"crypto/tls"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"rths/result/plotting"
	"rths/result/report"
)

//go:embed assets
var assets embed.FS

// Config says what a page shows and what it may ask for.
type Config struct {
	Address string // to listen at, host:port
	Hub     *Hub
	Stop    func(who string)      // asks for what Ctrl-C asks for
	Report  func(io.Writer) error // writes the report of a test that has ended; nil: there is none
	Folder  func() string         // of the record, for its files; nil: there is none
	Ask     bool                  // somebody may arm from the page
}

// Server serves the page.
type Server struct {
	Config
	place
	door   *door
	http   *http.Server
	assets map[string][]byte

	reporting sync.Mutex
	report    []byte
	reported  *Verdict // of the report
}

// Listen serves the page at an address. On loopback it is plain HTTP, elsewhere TLS with a certificate of its own.
func Listen(c Config) (*Server, error) {
	s := &Server{Config: c}
	at, err := listenAt("--page", c.Address)
	if err != nil {
		return nil, err
	}
	s.place = at
	s.door = newDoor(at.listen, at.host, at.loopback, c.Hub.Say, func(n int) { c.Hub.holder.Store(int64(n)) })
	s.assets = newAssets()
	s.http = newHTTP(s.handler())
	go func() { _ = s.http.Serve(at.listen) }()
	return s, nil
}

// place is where a page is served.
type place struct {
	listen   net.Listener
	host     string // as it was given
	loopback bool
	print    string // fingerprint of the certificate; empty on loopback
}

// listenAt listens at an address that an option has given.
func listenAt(option, address string) (p place, err error) {
	if p.host, _, err = net.SplitHostPort(address); err != nil {
		return p, fmt.Errorf("%s %s: want host:port, as in 127.0.0.1:7480", option, address)
	}
	switch p.listen, err = net.Listen("tcp", address); {
	case errors.Is(err, syscall.EADDRINUSE):
		return p, fmt.Errorf("%s: %s is in use by another program: end that one, or take another port", option, address)
	case err != nil:
		return p, fmt.Errorf("%s: %s cannot be listened at: %w: want an address of this computer and a port "+
			"up to 65535", option, address, err)
	}
	ip := net.ParseIP(p.host)
	p.loopback = p.host == "localhost" || ip != nil && ip.IsLoopback()
	if p.loopback {
		return p, nil
	}
	certificate, print, err := newCertificate(namesOf(p.listen, p.host, false))
	if err != nil {
		return p, errors.Join(err, p.listen.Close())
	}
	p.print = print
	p.listen = tls.NewListener(p.listen, &tls.Config{Certificates: []tls.Certificate{certificate},
		MinVersion: tls.VersionTLS13})
	return p, nil
}

// address is host:port for a browser.
func (p place) address() string {
	host, port, _ := net.SplitHostPort(p.listen.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if names := hostNames(); names != nil {
			host = names[0]
		}
	}
	return net.JoinHostPort(host, port)
}

func newHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 30 * time.Second,
		MaxHeaderBytes: 16 << 10, ConnContext: bounded, ErrorLog: log.New(io.Discard, "", 0),
	}
}

// bufferBytes is what the system may hold for a viewer: also this queue is bounded.
const bufferBytes = 64 << 10

func bounded(ctx context.Context, c net.Conn) context.Context {
	if of, ok := c.(*tls.Conn); ok {
		c = of.NetConn()
	}
	if of, ok := c.(*net.TCPConn); ok {
		_ = of.SetWriteBuffer(bufferBytes)
	}
	return ctx
}

// Close ends all connections.
func (s *Server) Close() { closeHTTP(s.http) }

func closeHTTP(h *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if h.Shutdown(ctx) != nil {
		_ = h.Close()
	}
}

// Words are what the operator is told: where the page is, and the tokens. A token stands in the fragment of an address,
// which browsers send to nobody.
func (s *Server) Words() []string {
	at := s.door.scheme + "://" + s.Address()
	var out []string
	if !s.door.open {
		out = append(out, fmt.Sprintf("page, to watch only: %s/#%s", at, s.door.view),
			"page: SHA-256 fingerprint of its certificate "+s.print)
	}
	switch {
	case s.Ask:
		out = append(out, fmt.Sprintf("page, to arm and start: %s/#%s", at, s.door.arm))
	case s.door.open:
		out = append(out, "page: "+at+"/")
	}
	return out
}

// Address is host:port for a browser.
func (s *Server) Address() string { return s.place.address() }

// newAssets are the files of the page.
func newAssets() map[string][]byte {
	out := map[string][]byte{}
	for _, name := range []string{"index.html", "page.css", "draw.js", "motion.js", "page.js"} {
		out[name], _ = assets.ReadFile("assets/" + name)
	}
	out[report.BodyScript] = []byte(report.Script(report.BodyScript))
	for name, of := range map[string]string{"uplot.js": "uplot/uPlot.iife.min.js", "plot.js": "plot.js",
		"uplot.css": "uplot/uPlot.min.css"} {
		out[name] = []byte(plotting.Asset(of))
	}
	return out
}

// policy lets the page load from here alone. The report is one file with its scripts inside: a sandbox without an
// origin keeps it away from everything.
const (
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	reportPolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri " +
		"'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts"
)

// handler is everything that the page serves.
func (s *Server) handler() http.Handler {
	m := http.NewServeMux()
	for name := range s.assets {
		path := "/" + name
		if name == "index.html" {
			path = "/{$}"
		}
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.asset(w, name) })
	}
	m.HandleFunc("GET /healthz", s.healthz)
	m.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	m.HandleFunc("GET /you", s.you)
	m.HandleFunc("POST /login", s.door.login)
	m.HandleFunc("GET /events", s.seen(s.events))
	m.HandleFunc("GET /metrics", s.seen(s.metrics))
	m.HandleFunc("GET /report", s.seen(s.showReport))
	m.HandleFunc("GET /record/{name}", s.seen(s.file))
	m.HandleFunc("POST /stop", s.seen(s.stop))
	m.HandleFunc("POST /take", s.take)
	m.HandleFunc("POST /answer", s.answer)
	return s.guarded(m)
}

// guarded is the door in front of everything.
func (s *Server) guarded(next http.Handler) http.Handler { return s.door.guard(next, policy, 4<<10) }

// guard lets no request in that the door refuses, nor one with a larger body than most bytes.
func (d *door) guard(next http.Handler, policy string, most int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		if status, err := d.check(r); err != nil {
			refuse(w, status, err)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
		next.ServeHTTP(w, r)
	})
}

// refuse says why.
func refuse(w http.ResponseWriter, status int, err error) { http.Error(w, err.Error(), status) }

// seen wants the right to look.
func (s *Server) seen(next http.HandlerFunc) http.HandlerFunc { return s.door.seen(next) }

func (d *door) seen(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !d.sees(r) {
			refuse(w, http.StatusUnauthorized, errToken)
			return
		}
		next(w, r)
	}
}

func (s *Server) asset(w http.ResponseWriter, name string) { writeAsset(w, name, s.assets[name]) }

func writeAsset(w http.ResponseWriter, name string, content []byte) {
	w.Header().Set("Content-Type", mime.TypeByExtension(filepath.Ext(name)))
	_, _ = w.Write(content)
}

// read reads the body of a request.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, errors.New("want application/json"))
		return false
	}
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("want JSON: %w", err))
		return false
	}
	return true
}

// you tells a browser what it may do, before it may look.
func (s *Server) you(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		you
		Open bool `json:"open"` // looking wants no token
		Ask  bool `json:"ask"`  // somebody may arm from the page
	}{s.door.who(r).you, s.door.open, s.Ask})
}

// login lets a browser in that shows a token.
func (d *door) login(w http.ResponseWriter, r *http.Request) {
	var of struct{ Token string }
	if !read(w, r, &of) {
		return
	}
	cookie, err := d.enter(r, of.Token)
	switch {
	case errors.Is(err, errFast):
		refuse(w, http.StatusTooManyRequests, err)
	case err != nil:
		refuse(w, http.StatusForbidden, err)
	default:
		http.SetCookie(w, cookie)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) take(w http.ResponseWriter, r *http.Request) {
	if err := s.door.take(r); err != nil {
		refuse(w, http.StatusForbidden, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// answer answers the question that is open.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	var of struct {
		Number int
		Text   string
	}
	if !read(w, r, &of) {
		return
	}
	v, err := s.door.mayArm(r)
	if err != nil {
		refuse(w, http.StatusForbidden, err)
		return
	}
	if err := s.Hub.reply(of.Number, Answer{of.Text, "the page, " + v.String()}); err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// stop needs no more than looking.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	who := "the page at " + from(r)
	if v := s.door.who(r); v.Number > 0 {
		who = "the page, " + v.String()
	}
	s.Stop(who)
	w.WriteHeader(http.StatusNoContent)
}

// A viewer has so much time for each piece of an answer. A viewer on a slow network gets the history, which is large,
// piece by piece. A viewer who takes nothing is disconnected.
const (
	writeWithin = 2 * time.Second
	pieceBytes  = 16 << 10
)

// patient writes to a viewer, piece by piece.
type patient struct {
	http.ResponseWriter
	c *http.ResponseController
}

func newPatient(w http.ResponseWriter) patient { return patient{w, http.NewResponseController(w)} }

func (p patient) Write(text []byte) (n int, err error) {
	for piece := range slices.Chunk(text, pieceBytes) {
		_ = p.c.SetWriteDeadline(time.Now().Add(writeWithin))
		k, err := p.ResponseWriter.Write(piece)
		if n += k; err == nil {
			err = p.c.Flush()
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// events sends frames until the viewer goes, or reads nothing for a while.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	v := s.Hub.join(s.door.who(r).you)
	if v == nil {
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("want at most %d viewers", viewersMost))
		return
	}
	defer s.Hub.part(v)
	w.Header().Set("Content-Type", "text/event-stream")
	p := newPatient(w)
	_ = p.c.SetReadDeadline(time.Time{})
	for {
		select {
		case text, ok := <-v.queue:
			if !ok {
				return
			}
			if _, err := p.Write(text); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// showReport shows the report.
func (s *Server) showReport(w http.ResponseWriter, _ *http.Request) {
	text, err := s.written()
	switch {
	case errors.Is(err, errNoReport):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		refuse(w, http.StatusInternalServerError, err)
	default:
		w.Header().Set("Content-Security-Policy", reportPolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = newPatient(w).Write(text)
	}
}

var errNoReport = errors.New("there is a report when the test is over")

// written is the report, which is written once for each verdict.
func (s *Server) written() ([]byte, error) {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	of := s.Hub.reports()
	if s.Report == nil || of == nil {
		return nil, errNoReport
	}
	if s.reported != of {
		var out bytes.Buffer
		if err := s.Report(&out); err != nil {
			return nil, err
		}
		s.report, s.reported = out.Bytes(), of
	}
	return s.report, nil
}

// file shows a file of the record's folder, and of no other place: the root refuses links that lead out.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if s.Folder == nil || name != filepath.Base(name) {
		http.NotFound(w, r)
		return
	}
	root, err := os.OpenRoot(s.Folder())
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer root.Close()
	about, err := root.Lstat(name)
	if err != nil || !about.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	file, err := root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Security-Policy", reportPolicy)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	http.ServeContent(newPatient(w), r, name, about.ModTime(), file)
}
