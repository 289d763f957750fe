# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libplan.a
%C%_libplan_a_SOURCES = \
	%D%/analysis.c %D%/analysis.h %D%/analysis_private.h \
	%D%/analysis_arm.c \
	%D%/analysis_blocks.c \
	%D%/analysis_causes.c \
	%D%/analysis_dose.c \
	%D%/analysis_functions.c \
	%D%/analysis_limits.c \
	%D%/analysis_load.c \
	%D%/analysis_minisweep.c \
	%D%/analysis_misfit.c \
	%D%/analysis_ndr.c \
	%D%/analysis_noise.c %D%/analysis_noise_private.h \
	%D%/analysis_noise_words.c \
	%D%/analysis_rates.c \
	%D%/analysis_resources.c \
	%D%/analysis_shift.c \
	%D%/audit.c %D%/audit.h %D%/audit_private.h \
	%D%/audit_host.c \
	%D%/audit_nic.c \
	%D%/audit_place.c \
	%D%/audit_run.c \
	%D%/causes.c %D%/causes.h %D%/causes_private.h \
	%D%/causes_differ.c \
	%D%/causes_rules.c \
	%D%/causes_table.c \
	%D%/causes_text.c \
	%D%/causes_words.c \
	%D%/coarse.c %D%/coarse.h \
	%D%/confirm.c %D%/confirm.h \
	%D%/confirm_choose.c \
	%D%/measure.h \
	%D%/minisweep.c %D%/minisweep.h \
	%D%/mlrsearch.c %D%/mlrsearch.h %D%/mlrsearch_private.h \
	%D%/mlrsearch_class.c \
	%D%/mlrsearch_grid.c %D%/mlrsearch_grid.h \
	%D%/mlrsearch_select.c \
	%D%/ndr.c %D%/ndr.h \
	%D%/selector.c %D%/selector.h \
	%D%/selector_trials.c \
	%D%/selftest.c %D%/selftest.h \
	%D%/sweep_decide.c \
	%D%/sweep_ndr.c \
	%D%/sweep_pilot.c \
	%D%/sweep_plan.c %D%/sweep_plan.h \
	%D%/sweep_plan_private.h
