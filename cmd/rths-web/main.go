//go:build !js

// Rths-web writes a website: the documentation, and in rths.html the workbench as one file that needs no server and no
// network, with the program as WebAssembly. It wants the Go toolchain and this module:
//
//	go run ./cmd/rths-web -o website
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"rths/docs"
	"rths/scenario/files"
	"rths/workbench/front"
)

//go:embed local.js
var localScript string

// pageFile is the workbench.
const pageFile = "rths.html"

func main() {
	out := flag.String("o", "website", "folder")
	version := flag.String("version", "dev", "version that the page tells")
	flag.Parse()
	if err := build(*out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "rths-web:", err)
		os.Exit(1)
	}
}

// build writes the page and the documentation, whose examples open in it, into a folder.
func build(out, version string) error {
	page, err := made(version)
	if err != nil {
		return err
	}
	site, err := docs.Site(pageFile)
	if err != nil {
		return err
	}
	site[pageFile] = page
	for name, content := range site {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		err := files.Write(file, func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// made is the page with this program in it.
func made(version string) ([]byte, error) {
	program, err := compiled(version)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	return page(front.Files(), string(glue), program)
}

// compiled is the program as WebAssembly, packed by gzip.
func compiled(version string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rths-web-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "rths.wasm")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version="+version, "-o", file,
		"rths/cmd/rths-web")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build for js/wasm: %w", err)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one of gzip's
	_, err = w.Write(program)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

var (
	styleLink  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">`)
	scriptLink = regexp.MustCompile(`<script src="([^"]+)"></script>`)
	docsLink   = regexp.MustCompile(`<a href="docs/"[^>]*>[^<]*</a>\n`)
)

// policy is for a page that fetches nothing: scripts and styles stand in it.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
	`script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; ` +
	`img-src data: blob:; base-uri 'none'; form-action 'none'">`

// page is the page of the workbench with all its files in it. In place of the server's script stand those of a worker.
func page(parts map[string][]byte, glue string, program []byte) ([]byte, error) {
	html := string(parts["index.html"])
	var missing error
	inline := func(link *regexp.Regexp, tag string) {
		html = link.ReplaceAllStringFunc(html, func(found string) string {
			name := link.FindStringSubmatch(found)[1]
			text, ok := parts[name]
			if name == "server.js" {
				text = []byte(localScript)
			}
			if !ok {
				missing = fmt.Errorf("the page wants %s, which is not there", name)
			}
			return "<" + tag + ">" + within(string(text)) + "</" + tag + ">"
		})
	}
	inline(styleLink, "style")
	inline(scriptLink, "script")
	html = docsLink.ReplaceAllLiteralString(html, "")
	const nonce = `<meta name="style-nonce" content="`
	html = strings.Replace(html, nonce+`{{nonce}}">`, policy+"\n"+nonce+`">`, 1)
	data := `<script type="text/plain" id="glue">` + within(glue) + `</script>` + "\n" +
		`<script type="text/plain" id="program">` + base64.StdEncoding.EncodeToString(program) + `</script>` + "\n"
	html = strings.Replace(html, "<script>", data+"<script>", 1)
	return []byte(html), missing
}

// within is a script or a style that does not end its element.
func within(text string) string { return strings.ReplaceAll(text, "</", "<\\/") }
