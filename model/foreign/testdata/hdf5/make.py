# The HDF5 files of this folder, by h5py 3.7 with HDF5 1.10.8 (Debian 12): /usr/bin/python3 make.py
import h5py
import numpy as np

n = 70
t = np.arange(n) * 0.01
x = np.sin(7 * t)
table = np.column_stack([t, x, 2 * x])


def fill(f):
    d = f.create_dataset("time", data=t)
    d.attrs["unit"] = np.bytes_("s")
    g = f.create_group("test/axis")
    d = g.create_dataset("x", data=x.astype("f4"), chunks=(32,), compression="gzip", shuffle=True)
    d.attrs["units"] = "mm"
    g.create_dataset("counts", data=(1000 * x).astype(">i2"), chunks=(16,), fletcher32=True)
    g.create_dataset("bytes", data=np.arange(n, dtype="u1"))
    f.create_dataset("table", data=table, chunks=(32, 2), compression="gzip")
    f.create_dataset("big", data=x.astype(">f8"))
    rows = np.zeros(n, dtype=[("t", "f8"), ("name", "S4"), ("f", "f4"), ("xy", "f8", (2,))])
    rows["t"], rows["f"], rows["xy"] = t, x, np.column_stack([x, -x])
    f.create_dataset("rows", data=rows, chunks=(25,), compression="gzip")
    f.create_dataset("text", data=np.array([b"a", b"bc"]))
    f.create_dataset("vlen", data="a text", dtype=h5py.string_dtype())
    f.create_dataset("flags", data=x > 0)
    f.create_dataset("cube", data=np.zeros((2, 3, 4)))
    f.create_dataset("scalar", data=2.5)
    f["again"] = f["time"]
    f["ring"] = f["/"]
    f["soft"] = h5py.SoftLink("/nowhere")


with h5py.File("earliest.h5", "w", libver="earliest") as f:
    fill(f)
with h5py.File("many.h5", "w", libver="earliest") as f:  # nodes of several symbols, and a B-tree of two levels
    for i in range(60):
        f.create_dataset(f"c{i:03}", data=np.full(2, float(i)))
    f.create_dataset("long", data=np.arange(2000.0), chunks=(7,))
with h5py.File("latest.h5", "w", libver="latest") as f:
    f.create_dataset("time", data=t).attrs["unit"] = "s"
    f.create_dataset("x", data=x, chunks=(n,), compression="gzip", shuffle=True)
    f.create_dataset("plain", data=x, chunks=(n,))
    f.create_dataset("compact", data=np.arange(3.0))
with h5py.File("chunks-latest.h5", "w", libver="latest") as f:
    f.create_dataset("x", data=x, chunks=(16,))
with h5py.File("dense.h5", "w", libver="latest") as f:
    for i in range(20):
        f.create_dataset(f"c{i}", data=t)
# Each index of chunks of HDF5 1.10: x[i] is i, and in matrices.h5 as in shapes.h5. Arrays have pages from 1024 elements
# on, an extensible one secondary blocks from 244 on, many links an indirect block and a tree of two levels.
with h5py.File("indexes.h5", "w", libver="latest") as f:
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_chunk((64,))
    p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    d = h5py.h5d.create(f.id, b"implicit", h5py.h5t.STD_U16LE, h5py.h5s.create_simple((200,)), p)
    h5py.Dataset(d)[:] = np.arange(200)
    f.create_dataset("fixed, paged", data=np.arange(1100, dtype="u2"), chunks=(1,), maxshape=(1200,))
    f.create_dataset("extensible", data=np.arange(300, dtype="u2"), chunks=(1,), maxshape=(None,))
    f.create_dataset("extensible, packed", data=np.arange(300, dtype="u2"), chunks=(16,), maxshape=(None,),
                     compression="gzip", shuffle=True, fletcher32=True)
    for i in range(90):
        f[f"many/a member with quite a name {i:02}"] = f["implicit"]
    for i in range(0, 90, 3):
        del f[f"many/a member with quite a name {i:02}"]
with h5py.File("matrices.h5", "w", libver="latest") as f:
    for r, c, chunk, most in [(12, 20, (5, 3), (12, 20)), (12, 20, (5, 3), (None, 30)), (12, 20, (5, 3), (30, None)),
                              (12, 20, (2, 2), (None, None))]:
        d = (1000 * np.arange(r)[:, None] + np.arange(c)).astype("u2")
        f.create_dataset(f"{r}x{c} {chunk} {most}", data=d, chunks=chunk, maxshape=most)
        f.create_dataset(f"{r}x{c} {chunk} {most} gzip", data=d, chunks=chunk, maxshape=most, compression="gzip")
with h5py.File("left.h5", "w", libver="latest") as f:
    f["time"] = t
    f.create_dataset("cube", data=np.zeros((1, 1, n)))
    for name in "abcde":
        f.create_dataset(name, data=np.zeros(n), chunks=(n,), compression="lzf")
    f.create_dataset("target", data=np.zeros(n), chunks=(n,), compression="lzf")
    f["kind"] = np.dtype("f8")
    f.create_dataset("measured", shape=(n,), dtype=f["kind"])
with h5py.File("lzf.h5", "w") as f:
    f.create_dataset("x", data=np.zeros(100), chunks=(100,), compression="lzf")
with h5py.File("partly.h5", "w") as f:
    f.create_dataset("x", shape=(100,), chunks=(10,), dtype="f8")[:10] = 1
with h5py.File("texts.h5", "w") as f:
    f.create_dataset("text", data="none")
# As save -v7.3 of MATLAB leaves it: a block of 512 bytes, arrays in the other order, structures as groups.
with h5py.File("matlab.mat", "w", userblock_size=512, libver="earliest") as f:
    f.create_dataset("quake", data=table[:, :2].T).attrs["MATLAB_class"] = np.bytes_("double")
    g = f.create_group("out")
    g.create_dataset("time", data=t[None, :], chunks=(1, 30), compression="gzip")
    g.create_dataset("signals/values", data=np.column_stack([x, 3 * x]).T)
    f.create_group("#refs#").create_dataset("a", data=t)
with open("matlab.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: none, Created by make.py".ljust(116) + bytes(8) + b"\x00\x02IM")
# Element (i, j) is 1000 i + j; names are rows, columns and chunks.
with h5py.File("shapes.h5", "w", libver="earliest") as f:
    for r, c, chunk in [(40, 9, (7, 4)), (9, 40, (4, 7)), (9, 40, None), (40, 9, None), (6, 6, (4, 4)), (1, 30, (1, 8)), (30, 1, (8, 1)),
                        (3, 50, (3, 16)), (50, 3, (64, 3)), (3, 50, (1, 50))]:
        d = 1000.0 * np.arange(r)[:, None] + np.arange(c)
        f.create_dataset(f"{r}x{c} {chunk}", data=d, chunks=chunk, maxshape=(None, None) if chunk else None,
                         compression="gzip" if chunk else None)
# What MATLAB 7.3 leaves of variables that are no numbers.
with h5py.File("classes.mat", "w", userblock_size=512, libver="earliest") as f:
    def add(name, data, cls, **more):
        d = f.create_dataset(name, data=data)
        for key, value in {"MATLAB_class": np.bytes_(cls), **more}.items():
            d.attrs[key] = value
    add("x", table[:, :2].T, "double")
    add("name", np.frombuffer("el centro".encode("utf-16le"), "u2")[:, None], "char", MATLAB_int_decode=np.int32(2))
    add("T", np.array([[3707764736, 2, 1, 1, 1, 1]], "u4").T, "timetable", MATLAB_object_decode=np.int32(3))
    add("none", np.array([0, 5], "u8"), "double", MATLAB_empty=np.uint8(1))
    inside = np.array([[f.create_group("#refs#").create_dataset("a", data=t).ref]], h5py.ref_dtype)
    add("c", inside, "cell")
    f.create_group("s").attrs["MATLAB_class"] = np.bytes_("struct")
    f["s"].create_dataset("x", data=inside)
    g = f.create_group("K")
    g.attrs["MATLAB_sparse"], g.attrs["MATLAB_class"] = np.uint64(3), np.bytes_("double")
    g.create_dataset("data", data=np.ones(4))
with open("classes.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: none, Created by make.py".ljust(116) + bytes(8) + b"\x00\x02IM")
# A motion as two datasets of a group, beside others.
with h5py.File("../../../ground/testdata/kinds/beside.h5", "w", libver="earliest") as f:
    for name, data, unit in [("event/time", 5.0 * np.arange(50), "ms"), ("event/NS", 2 * np.cos(np.arange(50) / 5), "gal"),
                             ("event/EW", 2.5 * np.cos(np.arange(50) / 7), None), ("event/load", np.ones(50), "kN"),
                             ("lonely", np.ones(50), "m/s2")]:
        d = f.create_dataset(name, data=data)
        if unit:
            d.attrs["unit"] = np.bytes_(unit)
