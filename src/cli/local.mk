# SPDX-License-Identifier: GPL-3.0-or-later
bin_PROGRAMS += satprof
satprof_SOURCES = \
	%D%/answer.c %D%/answer.h \
	%D%/args.c %D%/args.h \
	%D%/cmd_audit.c \
	%D%/cmd_export.c \
	%D%/cmd_forward.c \
	%D%/cmd_generate.c \
	%D%/cmd_lab.c \
	%D%/cmd_probe.c \
	%D%/cmd_selftest.c \
	%D%/cmd_show.c \
	%D%/cmd_sweep.c \
	%D%/commands.c %D%/commands.h \
	%D%/generate_options.c %D%/generate_options.h \
	%D%/main.c \
	%D%/progress.c %D%/progress.h \
	%D%/say.c %D%/say.h \
	%D%/sweep_check.c \
	%D%/sweep_effort.c \
	%D%/sweep_generator.c %D%/sweep_generator.h \
	%D%/sweep_live.c %D%/sweep_live.h \
	%D%/sweep_options.c %D%/sweep_options.h \
	%D%/sweep_options_private.h %D%/sweep_options_table.c \
	%D%/sweep_ports.c %D%/sweep_ports.h \
	%D%/sweep_session.c %D%/sweep_session.h \
	%D%/sweep_setup.c %D%/sweep_setup.h
satprof_LDADD = \
	src/report/libreport.a \
	src/engine/libengine.a \
	src/observe/libobserve.a \
	src/sut/libsut.a \
	src/gen/libgen.a \
	src/symbol/libsymbol.a \
	src/os/libos.a \
	src/sim/libsim.a \
	src/codec/libcodec.a \
	src/plan/libplan.a \
	src/stat/libstat.a \
	src/model/libmodel.a \
	src/base/libbase.a \
	$(CSV_LIBS) $(Z_LIBS) $(JANSSON_LIBS) $(SQLITE_LIBS) $(GSL_LIBS) $(PCAP_LIBS) $(DW_LIBS) \
	$(NL_LIBS) $(CAP_LIBS) $(PFM_LIBS) $(HWLOC_LIBS)
