# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES = \
	%D%/arm.c %D%/arm.h \
	%D%/audit.c %D%/audit.h \
	%D%/fact.c %D%/fact.h \
	%D%/ledger.c %D%/ledger.h \
	%D%/ndr.c %D%/ndr.h \
	%D%/profile.c %D%/profile.h \
	%D%/run.c %D%/run.h \
	%D%/run_view.c %D%/run_view.h \
	%D%/traffic.c %D%/traffic.h \
	%D%/trial.c %D%/trial.h \
	%D%/verdict.c %D%/verdict.h
