#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Each check of scripts/ can fail: a copy of the tree with one thing wrong.
bats_require_minimum_version 1.5.0

# A small tree in order: the lower layers, the interfaces, the scripts; so that a
# fault elsewhere does not show here, and the copy is quick.
setup() {
	copy=$BATS_TEST_TMPDIR/"a tree"
	mkdir -p "$copy"
	(cd "$top_srcdir" && tar cf - --exclude='*.o' --exclude='*.log' .clang-format m4 \
		scripts src/base src/model src/gen/generator.h src/sut/sut.h \
		src/observe/observer.h src/*/local.mk tests/unit/test-log.c) | tar xf - -C "$copy"
	chmod -R u+w "$copy"
	mkdir "$copy/man"
	touch "$copy/README.md" "$copy/ARCHITECTURE.md" "$copy/HACKING.md"
	sed -i '/^[a-z]/{/^base/!d}' "$copy/scripts/check-symbols.allow"
}

# on_copy CHECK: run it there, with the build folder of the real tree.
on_copy() {
	run env top_srcdir="$copy" "$copy/scripts/$1"
}

# fails CHECK RULE: exactly this rule is broken.
fails() {
	on_copy "$1"
	echo "$output"
	[ "$status" -ne 0 ]
	[ "$(grep -c '^not ok' <<<"$output")" -eq 1 ]
	grep -q "^not ok [0-9]* - $2" <<<"$output"
}

# A header of the copy that nothing needs; in no tarball.
put() {
	local guard
	guard=SATPROF_$(echo "${1%.h}" | tr 'a-z/' 'A-Z_')_H
	printf '%s\n' '/* SPDX-License-Identifier: GPL-3.0-or-later */' '/* Planted. */' \
		"#ifndef $guard" "#define $guard" "${@:2}" '#endif' >"$copy/src/$1"
}

# The same, listed where its folder lists its files.
plant() {
	put "$@"
	echo "X += %D%/${1#*/}" >>"$copy/src/${1%/*}/local.mk"
}

@test "a tree in order passes" {
	local check
	for check in check-layers check-headers check-size check-links check-shell; do
		on_copy "$check"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'ok 1 - '* ]] || [[ $output == *SKIP* ]]
	done
}

@test "check-layers finds an include that points up" {
	plant base/planted.h '#include "model/ledger.h"'
	fails check-layers 'includes point down'
	[[ $output == *'src/base/planted.h:5: "model/ledger.h": base is below model'* ]]
}

@test "check-layers finds a peer" {
	plant gen/planted.h '#include "sut/sut.h"'
	fails check-layers 'back ends do not include each other'
}

@test "check-layers finds a back end in the engine, and lets the interface pass" {
	plant gen/planted.h
	plant engine/planted_fine.h '#include "gen/generator.h"'
	plant engine/planted.h '#include "gen/planted.h"'
	fails check-layers 'the engine includes interfaces only'
	[[ $output != *planted_fine* ]]
}

@test "check-layers finds a bare name and a header that is not there" {
	plant base/planted.h '#include "err.h"'
	on_copy check-layers
	[ "$status" -ne 0 ]
	[[ $output == *'write "layer/file.h"'* ]]
	[[ $output == *'"err.h" is not there'* ]]
}

@test "check-layers finds a circle" {
	plant base/planted_a.h '#include "base/planted_b.h"'
	plant base/planted_b.h '#include "base/planted_a.h"'
	fails check-layers 'headers do not include in a circle'
}

@test "check-layers finds a folder outside the layers" {
	mkdir "$copy/src/util"
	plant util/planted.h '#include "base/err.h"'
	fails check-layers 'includes are written'
}

@test "check-layers finds a .c that is included" {
	echo '#include "base/err.c"' >"$copy/tests/unit/test-planted.c"
	fails check-layers 'nobody includes a .c'
}

@test "check-layers finds a source without config.h" {
	echo '#include "base/err.h"' >"$copy/src/base/planted.c"
	fails check-layers 'config.h comes first'
}

@test "check-layers finds a message that nobody cleans" {
	printf '%s\n' '#include "config.h"' \
		'void planted(void) { (void)fprintf(stderr, "%s", name); }' \
		>"$copy/src/base/planted.c"
	fails check-layers 'messages go through cli/say'
}

@test "check-headers finds a header that needs another" {
	plant base/planted.h 'struct planted { uint64_t n_pkts; };'
	fails check-headers 'each header compiles alone'
	[[ $output == *planted.h* ]]
}

@test "check-headers finds a header that no local.mk lists" {
	put base/planted.h
	fails check-headers 'each header is in the tarball'
	[[ $output == *"src/base/planted.h: not in src/base/local.mk"* ]]
}

@test "check-headers finds a wrong guard" {
	plant base/planted.h
	sed -i 's/SATPROF_BASE_PLANTED_H/PLANTED_H/' "$copy/src/base/planted.h"
	fails check-headers 'each guard'
}

@test "check-symbols finds a name that is not the module's" {
	local build=$BATS_TEST_TMPDIR/build
	mkdir -p "$build/src/base"
	echo 'int planted_ok(void); int planted_ok(void) { return 0; }
		int stray(void); int stray(void) { return 0; }
		static int hidden(void) { return 1; } int planted(void);
		int planted(void) { return hidden(); }' >"$copy/src/base/planted.c"
	${CC:-cc} -c -o "$build/src/base/planted.o" "$copy/src/base/planted.c"
	run env top_srcdir="$copy" top_builddir="$build" "$copy/scripts/check-symbols"
	[ "$status" -ne 0 ]
	[[ $output == *'src/base/planted.c exports stray'* ]]
	[ "$(grep -c exports <<<"$output")" -eq 1 ]
}

@test "check-symbols lets a part of a module use its header's names" {
	local build=$BATS_TEST_TMPDIR/build
	mkdir -p "$build/src/base"
	plant base/planted.h
	echo 'int planted_x(void); int planted_x(void) { return 0; }' \
		>"$copy/src/base/planted_more.c"
	${CC:-cc} -c -o "$build/src/base/planted_more.o" "$copy/src/base/planted_more.c"
	run env top_srcdir="$copy" top_builddir="$build" "$copy/scripts/check-symbols"
	[ "$status" -eq 0 ]
	rm "$copy/src/base/planted.h"
	run env top_srcdir="$copy" top_builddir="$build" "$copy/scripts/check-symbols"
	[ "$status" -ne 0 ]
}

@test "check-symbols finds an exception that nobody needs" {
	echo 'base/gone gone_.*' >>"$copy/scripts/check-symbols.allow"
	local build=$BATS_TEST_TMPDIR/build
	mkdir -p "$build/src/base"
	echo 'int planted = 0;' >"$copy/src/base/planted.c"
	${CC:-cc} -c -o "$build/src/base/planted.o" "$copy/src/base/planted.c"
	top_builddir=$build fails check-symbols 'the exceptions name files'
}

@test "check-size finds a long function and a long file" {
	{
		echo 'int planted(void)'
		echo '{'
		yes '	;' | head -n 100
		echo '}'
	} >"$copy/src/base/planted.c"
	fails check-size 'no function'
	[[ $output == *'src/base/planted.c:2: 102 lines: int planted(void)'* ]]
	yes '/* long */' | head -n 501 >"$copy/src/base/planted.c"
	fails check-size 'no file'
	yes '/* fits */' | head -n 500 >"$copy/src/base/planted.c"
	on_copy check-size
	[ "$status" -eq 0 ]
}

@test "check-format finds a missing licence, blanks and a layout" {
	printf 'int planted;\nint also;\n' >"$copy/src/base/planted.c"
	on_copy check-format
	[[ $output == *'# src/base/planted.c'* ]]
	[[ $output == *'line 2 does not say'* ]]
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* P. */\nint planted; \n' \
		>"$copy/src/base/planted.c"
	on_copy check-format
	[[ $output == *'# src/base/planted.c:3:int planted; '* ]]
	[ "$status" -ne 0 ]
}

@test "check-format asks clang-format 14" {
	clang-format --version | grep -q 'version 14\.' || skip 'clang-format 14 is missing'
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* P. */\nint  planted;\n' \
		>"$copy/src/base/planted.c"
	on_copy check-format
	[ "$status" -ne 0 ]
	[[ $output == *'# src/base/planted.c:3'* ]]
}

@test "check-shell finds an unquoted variable" {
	command -v shellcheck >/dev/null || skip 'shellcheck is missing'
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n# SPDX\nrm $1\n' >"$copy/scripts/planted"
	fails check-shell 'shellcheck: [0-9]* scripts'
	[[ $output == *'scripts/planted:3'*SC2086* ]]
}

@test "check-links finds a file that is not there" {
	echo 'See `src/base/nowhere.c`, `nowhere.h` and [this](doc/nowhere.md).' \
		>>"$copy/README.md"
	fails check-links 'the documents mention'
	[ "$(grep -c 'README.md: no .*nowhere' <<<"$output")" -eq 3 ]
}

@test "check-links lets placeholders and patterns pass" {
	echo 'Write `src/cli/cmd_x.c` and `man/satprof-x.1`; see `src/base/*.h`.' \
		>>"$copy/HACKING.md"
	on_copy check-links
	[ "$status" -eq 0 ]
}

@test "check-links finds a machine's path" {
	echo "/* see /""home/someone/notes.txt */" >>"$copy/src/base/err.c"
	fails check-links 'no path of a machine'
}

# A program whose --help has two options.
fake_satprof() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/satprof" <<-'EOF'
		#!/bin/sh
		if [ "$1" = --help ]; then
			echo '  sweep      planted'
		else
			echo 'Usage: satprof sweep [OPTION...]'
			echo '  -o, --output=FILE          where --nothing goes'
			echo '      --very-long-option-name-to-wrap=SOMETHING'
			echo '                             text'
			echo '  -?, --help                 Give this help list'
		fi
	EOF
	chmod +x "$BATS_TEST_TMPDIR/bin/satprof"
	cat >"$copy/man/satprof-sweep.1" <<-'EOF'
		.\" SPDX-License-Identifier: GPL-3.0-or-later
		.Dd November 30, 2026
		.Dt SATPROF-SWEEP 1
		.Os
		.Sh NAME
		.Nm satprof-sweep
		.Nd planted
		.Sh DESCRIPTION
		.Bl -tag -width Ds
		.It Fl o , Fl -output Ns = Ns Ar FILE
		Text.
		.It Fl -very-long-option-name-to-wrap Ns = Ns Ar SOMETHING
		Text.
		.El
		.Sh EXIT STATUS
		None.
		.Sh EXAMPLES
		None.
	EOF
	sed 's/satprof-sweep/satprof/; s/SATPROF-SWEEP/SATPROF/; /^\.Bl/,/^\.El/d' \
		"$copy/man/satprof-sweep.1" >"$copy/man/satprof.1"
	sed -i '/^\.Sh EXIT/i .Xr satprof-sweep 1' "$copy/man/satprof.1"
	printf 'dist_man_MANS += %%D%%/satprof.1 %%D%%/satprof-sweep.1\n' \
		>"$copy/man/local.mk"
	export SATPROF=$BATS_TEST_TMPDIR/bin/satprof
}

@test "check-man: a page that agrees passes" {
	fake_satprof
	on_copy check-man
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "check-man finds an option without text and a text without option" {
	fake_satprof
	sed -i 's/very-long-option-name-to-wrap/gone/' "$copy/man/satprof-sweep.1"
	fails check-man 'pages and --help have the same options'
	[[ $output == *'satprof-sweep.1 lacks --very-long-option-name-to-wrap'* ]]
	[[ $output == *'satprof-sweep.1 has --gone'* ]]
	[ "$(grep -c 'satprof-sweep.1 \(lacks\|has\)' <<<"$output")" -eq 2 ]
}

@test "check-man finds a command without a page, and a page without a command" {
	fake_satprof
	mv "$copy/man/satprof-sweep.1" "$copy/man/satprof-gone.1"
	on_copy check-man
	[ "$status" -ne 0 ]
	[[ $output == *'# sweep: no man/satprof-sweep.1'* ]]
	[[ $output == *'# man/satprof-gone.1: no such command'* ]]
}

@test "check-man finds what mandoc and a section lack" {
	fake_satprof
	sed -i '/^\.Sh EXAMPLES/,$d' "$copy/man/satprof-sweep.1"
	fails check-man 'pages are listed'
	[[ $output == *'no EXAMPLES'* ]]
	fake_satprof
	command -v mandoc >/dev/null || skip 'mandoc is missing'
	sed -i '/^\.El/d' "$copy/man/satprof-sweep.1"
	on_copy check-man
	[ "$status" -ne 0 ]
	grep -q '^not ok [0-9]* - mandoc' <<<"$output"
}

@test "a check without its tool is skipped, not passed" {
	run env PATH="$BATS_TEST_TMPDIR" top_srcdir="$copy" "$BASH" -c '
		dirname() { echo "$copy/scripts"; }
		mktemp() { echo "'"$BATS_TEST_TMPDIR"'"; }
		rm() { :; }
		. "'"$copy"'/scripts/tap.bash"
		tap_need shellcheck shellcheck'
	[ "$status" -eq 0 ]
	[ "$output" = '1..0 # SKIP shellcheck is missing (package shellcheck)' ]
}
