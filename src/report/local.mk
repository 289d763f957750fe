# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libreport.a
%C%_libreport_a_SOURCES =
%C%_libreport_a_SOURCES += \
	%D%/report.h \
	%D%/report_answer.c %D%/report_answer.h \
	%D%/report_confirm.c \
	%D%/report_audit.c %D%/report_audit.h \
	%D%/report_audit_json.c \
	%D%/report_json.c %D%/report_json_private.h \
	%D%/report_json_causes.c \
	%D%/report_json_resources.c \
	%D%/report_json_trial.c \
	%D%/report_list.c \
	%D%/report_plot.c %D%/report_plot.h \
	%D%/report_selftest.c \
	%D%/report_text.c %D%/report_text_private.h \
	%D%/report_text_causes.c \
	%D%/report_text_ndr.c \
	%D%/report_text_resources.c \
	%D%/report_text_tables.c
