package ring_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/ring"
)

// smallFolder is a folder in memory of the given number of pages.
func smallFolder(t *testing.T, pages int) (folder string, free int64) {
	t.Helper()
	free = int64(pages * os.Getpagesize())
	return mount(t, "tmpfs", fmt.Sprintf("size=%d", free)), free
}

// mount is a folder of a file system of its own.
func mount(t *testing.T, kind, options string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount(kind, folder, kind, 0, options); err != nil {
		t.Skipf("a folder in memory (%s) cannot be mounted: %v: run this test as root", kind, err)
	}
	t.Cleanup(func() { syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

func checkRoom(t *testing.T, folder string, want int64) {
	t.Helper()
	if free, err := ring.Room(folder); err != nil || free != want {
		t.Errorf("%d bytes are free, error %v: want %d", free, err, want)
	}
}

// A ring that finds no room is an error that says what to do, and nothing of it is left.
func TestNoRoom(t *testing.T) {
	folder, free := smallFolder(t, 16)
	path := filepath.Join(folder, "ring")
	checkRoom(t, folder, free)
	_, err := ring.Create(path, shape(47, 1000))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v: want %v", err, syscall.ENOSPC)
	}
	for _, part := range []string{folder, fmt.Sprintf("%d bytes free", free),
		fmt.Sprintf("wants %d bytes", ring.Bytes(47, 1000)), "remove what"} {
		rthstest.WantError(t, err, part)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, error %v: want nothing left", left, err)
	}
	checkHeld(t, path, 0)
	checkRoom(t, folder, free)
}

// A file system that cannot take room in advance has no rings: a full one would end the loop.
func TestNoRoomInAdvance(t *testing.T) {
	folder := mount(t, "ramfs", "")
	path := filepath.Join(folder, "ring")
	_, err := ring.Create(path, shape(1, 1))
	rthstest.WantError(t, err, folder)
	rthstest.WantError(t, err, "such as /dev/shm")
	checkHeld(t, path, 0)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want no file", err)
	}
}

// A ring that fits has its room from the beginning: what fills the folder afterwards does not harm the loop.
func TestRoomIsTaken(t *testing.T) {
	folder, free := smallFolder(t, 16)
	const width = 64
	rows := int(free-36864) / 8 / width
	p, c := create(t, filepath.Join(folder, "ring"), shape(width, rows))
	checkRoom(t, folder, 0)
	for i := range rows {
		put(p, uint64(i))
	}
	if n := drain(t, c, make([]float64, width), 0); n != uint64(rows) {
		t.Errorf("%d rows: want %d", n, rows)
	}
	p.Close()
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
	checkRoom(t, folder, free)
}

// The largest rings that a header can describe, of almost 2^63 bytes, find no room.
func TestLargestRings(t *testing.T) {
	folder, _ := smallFolder(t, 16)
	for _, s := range []ring.Shape{shape(1<<28-1, math.MaxUint32), shape(math.MaxUint32, 1<<28-1)} {
		if _, err := ring.Create(filepath.Join(folder, "ring"), s); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("error %v: want %v", err, syscall.ENOSPC)
		}
	}
}

func TestRoomOfNoFolder(t *testing.T) {
	if _, err := ring.Room(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want no folder", err)
	}
}
