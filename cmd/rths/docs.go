package main

import (
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/docs"
	"rths/scenario/files"
)

func docsCommand(a *app) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "docs",
		Short: "Read the documentation in the browser",
		Long: `Serves the documentation on this computer, opens it in the browser and waits for Ctrl-C.
It stands in the program and needs no network. --out writes it to a folder as a website, whose
index.html can be opened without a server.`,
		Example: `  rths docs
  rths docs --out website`,
		Args: want(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			site, err := docs.Site("")
			if err != nil {
				return err
			}
			if out != "" {
				return a.writeSite(cmd.OutOrStdout(), out, site)
			}
			return a.serveSite(cmd, site)
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder for the website; it must not exist yet")
	return c
}

// writeSite writes a website to a new folder.
func (a *app) writeSite(to io.Writer, dir string, site map[string][]byte) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("docs: --out %s: it exists: want a folder that does not", dir)
	}
	for name, content := range site {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = files.Write(file, func(w io.Writer) error { _, err := w.Write(content); return err })
		}
		if err != nil {
			return fmt.Errorf("docs: --out: %w", err)
		}
	}
	index := filepath.Join(dir, "index.html")
	return a.show(to, map[string]any{"index": index, "files": len(site)}, func(out io.Writer) {
		fmt.Fprintf(out, "%s: %d files\n", index, len(site))
	})
}

// serveSite serves a website on loopback until the command is stopped.
func (a *app) serveSite(cmd *cobra.Command, site map[string][]byte) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("docs: %w: want a free port on 127.0.0.1, or --out FOLDER", err)
	}
	address := "http://" + listener.Addr().String() + "/"
	err = a.show(cmd.OutOrStdout(), map[string]string{"address": address}, func(out io.Writer) {
		fmt.Fprintf(out, "%s (Ctrl-C ends it)\n", address)
	})
	if err != nil {
		return err
	}
	browse(cmd.ErrOrStderr(), address)
	return http.Serve(listener, siteHandler(site))
}

// siteHandler serves the files of a website.
func siteHandler(site map[string][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" || name == "." {
			name = "index.html"
		}
		content, ok := site[name]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		w.Header().Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'")
		_, _ = w.Write(content)
	})
}
