# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds the launcher for six systems with zig, which brings the headers and libraries
# of all of them: the same bytes on every machine and in every folder. See README.md.

BUILD ?= ../build
HEADER ?= $(BUILD)/include/stk_bundle_format.h
# As in `python -m ziglang`.
ZIG ?= zig
QUIET ?= ../.ci/quiet
RELEASE ?= $(shell sed -n 's/^version = "\(.*\)"/\1/p' ../pyproject.toml)
# What zig makes of its own libraries is kept in the one, what it makes of our sources
# in the other: a build in another folder then truly is another build.
export ZIG_GLOBAL_CACHE_DIR ?= $(abspath $(BUILD)/zig/cache)
export ZIG_LOCAL_CACHE_DIR := $(abspath $(BUILD)/cross/cache)

LINUX := x86_64-linux-musl aarch64-linux-musl
MACOS := x86_64-macos aarch64-macos
WINDOWS := x86_64-windows-gnu aarch64-windows-gnu
PROGRAMS := $(LINUX:%=$(BUILD)/cross/%/stockade-launch) \
	$(MACOS:%=$(BUILD)/cross/%/stockade-launch) \
	$(WINDOWS:%=$(BUILD)/cross/%/stockade-launch.exe)

CORE := $(sort $(wildcard src/core/*.c))
PLAN := $(sort $(wildcard src/plan/*.c))
HEADERS := $(wildcard src/*/*.h) $(HEADER) ../pyproject.toml cross.mk
linux_sources := $(CORE) $(sort $(wildcard src/linux/*.c))
# Neither chooses among features of a host.
macos_sources := $(filter-out src/core/choose.c,$(CORE)) $(PLAN) \
	$(sort $(wildcard src/macos/*.c))
# Nor has Windows the names of errno.
windows_sources := $(filter-out src/core/choose.c src/core/error_name.c,$(CORE)) \
	$(PLAN) $(sort $(wildcard src/windows/*.c))

FLAGS := -std=c17 -D_GNU_SOURCE -DSTOCKADE_RELEASE='"$(RELEASE)"' -O2 -Isrc -Isrc/core \
	-I$(dir $(HEADER)) -ffile-prefix-map=$(CURDIR)=. -ffunction-sections \
	-fdata-sections -fstack-protector-strong -Wl,--gc-sections -s \
	-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wformat=2 \
	-Wnull-dereference -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wcast-qual -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough -Werror
# musl is linked in whole; with -fPIE that is a static program that lies anywhere.
linux_flags := -fPIE -Wl,-z,relro,-z,now,-z,noexecstack
windows_flags := -municode
# Libraries come after what needs them.
windows_libraries := -lbcrypt
# The oldest macOS that is meant to run it.
zig_target = $(subst macos,macos.11.0-none,$(1))

.PHONY: cross
cross: $(PROGRAMS)
# zig uses every processor for one target.
.NOTPARALLEL:

# The name of the file is in what zig signs for macOS, so it is the last one from the
# start, and the folder changes.
define build
	@rm -rf $(@D) $(@D).new
	@mkdir -p $(@D).new
	@$(QUIET) 'launcher for $*' $(ZIG) cc -target $(call zig_target,$*) $(FLAGS) \
		$($(1)_flags) $($(1)_sources) $($(1)_libraries) -o $(@D).new/$(@F)
	@mv $(@D).new $(@D)
endef

$(LINUX:%=$(BUILD)/cross/%/stockade-launch): \
	$(BUILD)/cross/%/stockade-launch: $(linux_sources) $(HEADERS)
	$(call build,linux)

$(MACOS:%=$(BUILD)/cross/%/stockade-launch): \
	$(BUILD)/cross/%/stockade-launch: $(macos_sources) $(HEADERS)
	$(call build,macos)

$(WINDOWS:%=$(BUILD)/cross/%/stockade-launch.exe): \
	$(BUILD)/cross/%/stockade-launch.exe: $(windows_sources) $(HEADERS)
	$(call build,windows)
