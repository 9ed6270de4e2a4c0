package deposit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths/scenario/files"
)

// Files of a bag.
const (
	bagFile     = "bagit.txt"
	infoFile    = "bag-info.txt"
	payloadFile = "manifest-sha256.txt"
	tagFile     = "tagmanifest-sha256.txt"
)

// largest is the largest text of a deposit that is read, in bytes.
const largest = 64 << 20

// bag is a bag that is written.
type bag struct {
	dir     string
	payload []payload
	tags    []payload
}

type payload struct {
	path   string // with slashes, from the folder of the bag
	bytes  int64
	sha256 string
}

// counter counts bytes.
type counter int64

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// add writes a file of the payload, and hashes it meanwhile.
func (b *bag) add(at string, write func(io.Writer) error) (payload, error) {
	whole := filepath.Join(b.dir, filepath.FromSlash(at))
	if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
		return payload{}, err
	}
	file, err := os.Create(whole)
	if err != nil {
		return payload{}, err
	}
	sha, n := sha256.New(), counter(0)
	if err := errors.Join(write(io.MultiWriter(file, sha, &n)), file.Close()); err != nil {
		return payload{}, err
	}
	one := payload{at, int64(n), hex.EncodeToString(sha.Sum(nil))}
	b.payload = append(b.payload, one)
	return one, nil
}

// write writes a file beside the payload.
func (b *bag) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(b.dir, name), text, 0o644)
}

// close writes the files of the bag. The tag manifest has those that nobody edits: so the bag stays valid after a person
// has filled in the others.
func (b *bag) close() error {
	var size int64
	for _, f := range b.payload {
		size += f.bytes
	}
	for _, f := range []struct{ name, text string }{
		{bagFile, "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"},
		{infoFile, fmt.Sprintf("Payload-Oxum: %d.%d\n", size, len(b.payload))},
		{payloadFile, lines(b.payload)},
	} {
		sum := sha256.Sum256([]byte(f.text))
		b.tags = append(b.tags, payload{f.name, int64(len(f.text)), hex.EncodeToString(sum[:])})
		if err := b.write(f.name, []byte(f.text)); err != nil {
			return err
		}
	}
	return b.write(tagFile, []byte(lines(b.tags)))
}

// escapes are the characters that RFC 8493 escapes in paths.
var escapes = strings.NewReplacer("%", "%25", "\n", "%0A", "\r", "%0D")

var unescapes = strings.NewReplacer("%25", "%", "%0A", "\n", "%0D", "\r", "%0a", "\n", "%0d", "\r")

func lines(list []payload) string {
	slices.SortFunc(list, func(a, b payload) int { return cmp.Compare(a.path, b.path) })
	var out strings.Builder
	for _, f := range list {
		fmt.Fprintf(&out, "%s  %s\n", f.sha256, escapes.Replace(f.path))
	}
	return out.String()
}

// Check lists what a deposit lacks for publication, and the files that are damaged. The error says why a folder is none.
func Check(dir string) ([]string, error) {
	var d Deposit
	if err := load(dir, File, &d); err != nil {
		return nil, fmt.Errorf("%s is not the folder of a deposit: %w", dir, err)
	}
	out := d.Missing()
	for _, want := range []struct {
		file string
		keys []string
	}{{CiteFile, []string{"creators", "publisher", "publicationYear"}}, {JSONLDFile, []string{"creator"}}} {
		var document object
		if err := load(dir, want.file, &document); err != nil {
			out = append(out, err.Error())
			continue
		}
		for _, key := range want.keys {
			list, isList := document[key].([]any)
			if v := document[key]; v == nil || v == "" || isList && len(list) == 0 {
				out = append(out, fmt.Sprintf("%s, %s: want what it is", want.file, key))
			}
		}
	}
	listed := map[string]bool{}
	for _, name := range []string{tagFile, payloadFile} {
		text, err := read(dir, name)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, verify(dir, name, string(text), listed)...)
	}
	for _, name := range []string{bagFile, infoFile, payloadFile} {
		if !listed[name] {
			out = append(out, tagFile+": want a line of "+name)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "data"), func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, at)
		if name = filepath.ToSlash(name); err == nil && !listed[name] {
			out = append(out, name+" is not in "+payloadFile+": want it beside data")
		}
		return err
	})
	if err != nil {
		out = append(out, err.Error())
	}
	return out, nil
}

// verify compares files with the lines of a manifest of the bag.
func verify(dir, name, text string, listed map[string]bool) (out []string) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		sum, at, ok := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		at = unescapes.Replace(strings.TrimLeft(at, " *"))
		if !ok || len(sum) != 2*sha256.Size || !filepath.IsLocal(filepath.FromSlash(at)) {
			out = append(out, fmt.Sprintf("%s, line %d: want a SHA-256 and a path", name, i+1))
			continue
		}
		listed[at] = true
		file, err := files.Open(filepath.Join(dir, filepath.FromSlash(at)))
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		in, err := files.InputOf(file)
		switch file.Close(); {
		case err != nil:
			out = append(out, err.Error())
		case !strings.EqualFold(in.SHA256, sum):
			out = append(out, at+" was altered: "+name+" has another SHA-256")
		}
	}
	return out
}

func load(dir, name string, into any) error {
	text, err := read(dir, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

func read(dir, name string) ([]byte, error) {
	file, err := files.Disk{}.Open(filepath.Join(dir, name), largest)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
