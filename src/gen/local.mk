# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libgen.a
%C%_libgen_a_SOURCES = \
	%D%/gen_afpacket.c %D%/gen_afpacket.h \
	%D%/gen_answer.c %D%/gen_answer.h \
	%D%/gen_digest.c %D%/gen_digest.h \
	%D%/gen_external.c \
	%D%/gen_frame.c %D%/gen_frame.h \
	%D%/gen_line.c %D%/gen_line.h \
	%D%/gen_loop.c %D%/gen_loop.h \
	%D%/gen_pace.c %D%/gen_pace.h \
	%D%/gen_pcapfile.c %D%/gen_pcapfile.h \
	%D%/gen_retag.c %D%/gen_retag.h \
	%D%/gen_rx.c %D%/gen_rx.h \
	%D%/gen_sender.c %D%/gen_sender.h \
	%D%/gen_tag.c %D%/gen_tag.h \
	%D%/gen_trial.c \
	%D%/gen_tx.c %D%/gen_tx.h \
	%D%/gen_result.c \
	%D%/generator.h
