# Thin names for the commands one types often.
.PHONY: figures arm64 same scale full race browser fmu page latency realtime advise-coverage \
	study-speed build test check fuzz mutate bench pgo demo matrix pages validation man licenses editor release packages web systems weight

# On arm64 without fused products and sums, for the bits of amd64.
UNFUSED = $(if $(filter arm64,$(shell go env GOARCH)),-gcflags=all=-d=fmahash=qn)
build:
	go build $(UNFUSED) -o rths ./cmd/rths

test:
	go test ./...

check:
	bash .ci/run

# Every fuzz target for a minute.
fuzz:
	bash .ci/fuzz 60s

# Do a package's tests notice mistakes? make mutate PKG=./method/stability N=100 SEED=1
PKG ?= ./method/stability
N ?= 100
SEED ?= 1
mutate:
	go run ./.ci/mutate -pkg $(PKG) -n $(N) -seed $(SEED)

# Does the program still do what it did at the commit REF? Every shipped scenario, study and suite, exports, reports and
# analyses: for changes that nobody must see. Some five minutes.
REF ?= HEAD
same:
	old=$$(mktemp -d) && git clone -q . $$old && git -C $$old checkout -q $(REF) && \
		go build -C $$old -o dist/rths ./cmd/rths && \
		go build -o dist/rths-same ./cmd/rths && go run ./.ci/same -old $$old/dist/rths -new dist/rths-same; \
		status=$$?; rm -rf $$old; exit $$status

bench:
	go test -run '^$$' -bench . -benchmem ./...

# 1000 benchmark runs as a study, against single runs in turn (minutes), and the time in which a
# study of 100 000 rows goes on.
study-speed:
	go test ./campaign/study -pgo=cmd/rths/default.pgo -run '^$$' -bench ThousandRuns -benchtime 1x
	go test ./campaign/study -run '^$$' -bench Resume -benchtime 3x

# Memory and time of a report and a judgement of 8.4 million rows, and of a catalogue of 50 000 runs. It wants 4 GB on
# the disk of TMPDIR; some five minutes.
scale:
	RTHS_SCALE=1 go test ./cmd/rths -count=1 -run '^TestScale$$' -v -timeout 60m

# Does the score of advice lie in its interval on further streams, and is the recommended method not
# worse than the best default? Four scenarios, some ten minutes.
advise-coverage:
	RTHS_ADVISE=1 go test ./campaign/advice -count=1 -run 'TestCoverage$$' -v -timeout 60m

# Processor time of a build from nothing and of a start, and the size. Two minutes.
weight:
	bash .ci/weight

# Tests that time anything: against cyclictest, page faults, under load, with the rig's clock, after a stall. As root on
# a quiet machine with Debian's rt-tests and stress-ng; some five minutes.
realtime:
	RTHS_REALTIME=1 go test ./cmd/rths -count=1 -run '^TestRealtime' -v -timeout 30m

# The program for arm64 under Debian's qemu-user-static: the frames of all shipped scenarios are those of amd64, and the
# core's tests pass. Five minutes.
arm64:
	RTHS_ARM64=1 go test ./cmd/rths -count=1 -run '^TestARM64' -v -timeout 30m
	GOARCH=arm64 go test -gcflags=all=-d=fmahash=qn -short -exec qemu-aarch64-static .

# All cases of all tests, also those for which .ci/run has no time: every method as C with both compilers, every method
# on every shipped scenario. Ten minutes.
full:
	RTHS_FULL=all go test -timeout 30m ./...

# The race detector over every package, also commands and reports, for which .ci/run has no time. A quarter of an hour.
race:
	go test -race -short -timeout 30m -shuffle=on ./...
	[ -z "$$RTHS_RECORDS" ] || go run -race ./cmd/rths benchmark siso --compensator pi,kf --cases 1 --record elcentro

# The live page and the editor of scenarios in Chromium: armed, started, stopped, tripped, reloaded, looked at in every
# size. A minute and a half.
browser:
	RTHS_BROWSER=1 go test ./cmd/rths ./cmd/rths-web ./workbench/front -count=1 -parallel 3 -run '^TestBrowser' -v

# Pages in Chromium: the time to the first paint of the live page and its memory after 18 000 frames; first paint and
# hover of reports beside a page with one empty plot; the workbench from a keystroke to curves beside its run, its lists
# of 1000 and 50 000 runs, and a run of ten million samples (0.8 GB in TMPDIR); the page of one file. Six minutes.
page:
	RTHS_PAGE=1 go test ./run/page -count=1 -run '^TestPageSpeed$$' -v
	RTHS_PAGE=1 go test -p 1 ./cmd/rths ./cmd/rths-web -pgo=cmd/rths/default.pgo -count=1 \
		-run '^Test(Report|Workbench|Runs|LongRun|Page)Speed$$' -v

# The time of a step of OpenSees over rths run, against the least server in C, in turn. It wants OpenSees in
# RTHS_OPENSEES, and a C compiler; half a minute.
latency:
	RTHS_LATENCY=1 go test ./cmd/rths -count=1 -run '^TestLatency$$' -v

# The FMUs of all methods through FMPy, whose folder src is in RTHS_FMPY, built from their sources. A minute.
fmu:
	RTHS_FMU=1 go test ./result/export -count=1 -run 'FMUThroughFMPy' -v

# The profile that go build ./cmd/rths optimises with, of a loop with a guard and one without;
# renew it after changes to the hot path.
pgo:
	go test -run '^$$' -bench '^BenchmarkGuardedSISO$$' -benchtime 150x \
		-cpuprofile cmd/rths/default.pgo -o /dev/null ./kit/speed

demo:
	go run ./cmd/rths demo

# Do all methods work on all shipped scenarios at 1024, 2048 and 4096 Hz, on whole records?
matrix:
	RTHS_MATRIX=1 go test ./scenario -count=1 -run TestMatrix -v

# The pages of docs that come from the tables. It runs no suites.
pages:
	go test ./cmd/rths -run TestPages -update

# The drawings of docs/concepts.
figures:
	go run ./.ci/figures

# docs/internals/validation.md: every equation, table and figure of the papers, computed anew, and the
# tests that it names, run by name.
validation:
	go run ./.ci/named
	go run ./cmd/rths benchmark --all --validation > docs/internals/validation.md.new
	mv docs/internals/validation.md.new docs/internals/validation.md

# Man pages of all commands, under dist/man/man1.
man:
	go run ./cmd/rths man dist/man/man1

# The licences of the modules in the binary, which rths licenses prints.
licenses:
	go test ./cmd/rths -count=1 -run 'TestLicenses$$' -update

# The program for Windows and macOS: compiled and vetted, and for Windows tried under Debian's wine64. A minute, and
# some for the first compilation.
systems:
	GOOS=windows go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	bash .ci/wine

# The documentation as a website, and in its rths.html the workbench without a server.
web:
	go run ./cmd/rths-web -o dist/website

# The editor of scenarios, from its sources and the packages of its lock file: a bundle that is committed. It wants npm;
# after new packages, make licenses too.
editor:
	cd workbench/front/editor && npm ci --ignore-scripts --no-audit --no-fund && node build.js

# The picture of README: one test without a compensator and with one, from two runs.
.PHONY: figures figure-readme
figures: figure-readme
figure-readme:
	go build -o dist/rths ./cmd/rths
	go run ./.ci/figures/readme -rths dist/rths -o docs/with-and-without.svg

# Archives with static binaries for five systems, Python wheels, packages for Debian and an image for containers, under
# dist. Seven minutes.
release:
	bash .ci/release

# The packages for Debian and the image, made and tried: as root, with skopeo. Half a minute; of both processors two.
packages:
	bash .ci/packages $(PROCESSOR)
