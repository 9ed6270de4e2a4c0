# Thin names for the commands one types often.
.PHONY: build test check fuzz bench pgo demo

build:
	go build -o rths ./cmd/rths

test:
	go test ./...

check:
	bash .ci/run

# Every fuzz target for a minute.
fuzz:
	bash .ci/fuzz 60s

bench:
	go test -run '^$$' -bench . -benchmem ./...

# The profile that go build ./cmd/rths optimises with; renew it after changes to the hot path.
pgo:
	go test -run '^$$' -bench 'SISO$$' -benchtime 15s -cpuprofile cmd/rths/default.pgo -o /dev/null .

demo:
	go run ./cmd/rths demo
