#!/usr/bin/env python3
"""Makes a container image, as the layout of OCI: image.py FOLDER VERSION REVISION SECONDS ARCHITECTURE=PROGRAM...

The image has the program and two empty folders that everybody may write, and nothing else: a static program needs no
system. It runs as the user that the container has, so that a folder of the host can be mounted on /work. SECONDS since
1970 is the time of all files. The same programs give the same bytes.
"""
import datetime
import gzip
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, Dict

TYPE = "application/vnd.oci.image."


def layer(program: bytes, seconds: int) -> bytes:
    """The files of the image as a tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, mode in (("tmp", 0o1777), ("usr", 0o755), ("usr/bin", 0o755), ("work", 0o1777)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, mode, seconds
            tar.addfile(entry)
        entry = tarfile.TarInfo("usr/bin/rths")
        entry.mode, entry.mtime, entry.size = 0o755, seconds, len(program)
        tar.addfile(entry, io.BytesIO(program))
    return out.getvalue()


def blob(folder: Path, kind: str, data: bytes) -> Dict[str, Any]:
    """Writes a blob, and returns what describes it."""
    digest = hashlib.sha256(data).hexdigest()
    (folder / "blobs" / "sha256" / digest).write_bytes(data)
    return {"mediaType": TYPE + kind, "digest": f"sha256:{digest}", "size": len(data)}


def document(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("utf-8")


def main() -> None:
    if len(sys.argv) < 6:
        sys.exit("image.py: want FOLDER VERSION REVISION SECONDS ARCHITECTURE=PROGRAM...")
    folder, version, revision, seconds = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    (folder / "blobs" / "sha256").mkdir(parents=True)
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"org.opencontainers.image.title": "rths", "org.opencontainers.image.version": version,
             "org.opencontainers.image.revision": revision, "org.opencontainers.image.created": created,
             "org.opencontainers.image.description": "Real-time hybrid simulation: run, compensate, judge"}
    platforms = []
    for pair in sys.argv[5:]:
        architecture, _, program = pair.partition("=")
        tar = layer(Path(program).read_bytes(), seconds)
        packed = blob(folder, "layer.v1.tar+gzip", gzip.compress(tar, 9, mtime=0))
        config = blob(folder, "config.v1+json", document({
            "architecture": architecture, "os": "linux", "created": created,
            "config": {"Entrypoint": ["/usr/bin/rths"], "Cmd": ["demo"], "WorkingDir": "/work",
                       "Env": ["HOME=/work", "PATH=/usr/bin"], "Labels": about},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]},
            "history": [{"created": created, "created_by": "image.py"}]}))
        manifest = blob(folder, "manifest.v1+json", document({
            "schemaVersion": 2, "mediaType": TYPE + "manifest.v1+json", "config": config, "layers": [packed]}))
        platforms.append({**manifest, "platform": {"architecture": architecture, "os": "linux"}})
    index = {"schemaVersion": 2, "mediaType": TYPE + "index.v1+json"}
    image = blob(folder, "index.v1+json", document({**index, "manifests": platforms, "annotations": about}))
    # One image of several systems, which tools find by its name.
    image["annotations"] = {"org.opencontainers.image.ref.name": version}
    (folder / "index.json").write_bytes(document({**index, "manifests": [image]}))
    (folder / "oci-layout").write_bytes(document({"imageLayoutVersion": "1.0.0"}))


if __name__ == "__main__":
    main()
