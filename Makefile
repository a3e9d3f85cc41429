# Tests attach to real programs, so they need root (or CAP_SYS_PTRACE and the right to
# become "nobody"), and the programs of Debian 12 below.

GO ?= go
SHELL := /bin/bash

# program or file=package: what the tests run. A missing one is installed.
NEEDED = gcc=gcc cc=gcc g++=g++ script=bsdutils objdump=binutils musl-gcc=musl-tools \
	redis-server=redis-server redis-benchmark=redis-tools redis-cli=redis-tools \
	nginx=nginx-light ab=apache2-utils postgres=postgresql-15 pgbench=postgresql-15 \
	sqlite3=sqlite3 /usr/bin/python3=python3 strace=strace rustc=rustc \
	/usr/lib/llvm-14/lib/libunwind.a=libc++-14-dev /usr/lib/llvm-14/lib/libc++abi.a=libc++abi-14-dev

# Packages whose code does not run in a target: the race detector can watch all of it.
RACE = ./hook/... ./trampoline/... ./internal/...

# How many inputs each fuzz target runs on.
FUZZTIME ?= 100000x

.PHONY: all test deps lint race fuzz bench soak

all: lint test

# Everything, in its short form; one package at a time, because tests measure pauses
# and count system calls.
test: deps
	$(GO) test -p 1 -timeout 15m ./...

deps:
	@NEEDED="$(NEEDED)" .ci/deps

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt'ed:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

race: deps
	$(GO) test -race -p 1 -timeout 30m $(RACE)

fuzz:
	@FUZZTIME=$(FUZZTIME) GO="$(GO)" .ci/fuzz

bench: deps
	$(GO) test -run "^$$" -bench . -benchtime 1x -timeout 30m ./bench

# The long forms: hours of cycles, kills and random programs.
soak: deps
	FUNCTAP_LONG=1 $(GO) test -p 1 -count=1 -timeout 6h ./...
