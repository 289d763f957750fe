# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libos.a
%C%_libos_a_SOURCES = \
	%D%/perf_decode.c %D%/perf_decode.h \
	%D%/perf_hw.c %D%/perf_hw.h \
	%D%/perf_open.c %D%/perf_open.h \
	%D%/perf_period.c %D%/perf_period.h \
	%D%/perf_ring.c %D%/perf_ring.h \
	%D%/perf_sys.c %D%/perf_sys.h \
	%D%/perf_sysfs.c %D%/perf_sysfs.h \
	%D%/pfm.c %D%/pfm.h \
	%D%/pfm_suggest.c %D%/pfm_suggest.h \
	%D%/netns.c %D%/netns.h \
	%D%/nl.c %D%/nl.h \
	%D%/ethtool.c %D%/ethtool.h \
	%D%/offload.c %D%/offload.h \
	%D%/lab.c %D%/lab.h \
	%D%/lab_net.c %D%/lab_net.h \
	%D%/lab_pin.c %D%/lab_pin.h \
	%D%/ports.c %D%/ports.h \
	%D%/restore.c %D%/restore.h %D%/restore_item.c \
	%D%/statedir.c %D%/statedir.h \
	%D%/lab_steer.c %D%/lab_steer.h \
	%D%/lab_tbf.c %D%/lab_tbf.h
%C%_libos_a_SOURCES += \
	%D%/cgroup_quota.c %D%/cgroup_quota.h \
	%D%/host.c %D%/host.h \
	%D%/sysfile.c %D%/sysfile.h \
	%D%/host_limits.c \
	%D%/keeper.c %D%/keeper.h \
	%D%/keeper_child.c %D%/keeper_child.h \
	%D%/keeper_init.c %D%/keeper_init.h \
	%D%/keeper_mounts.c %D%/keeper_mounts.h \
	%D%/keeper_msg.c %D%/keeper_msg.h \
	%D%/keeper_words.c %D%/keeper_words.h \
	%D%/caps.c %D%/caps.h %D%/caps_private.h \
	%D%/caps_gso.c %D%/caps_gso.h \
	%D%/caps_host.c \
	%D%/caps_net.c \
	%D%/caps_perf.c \
	%D%/cpuplan.c %D%/cpuplan.h \
	%D%/facts.c %D%/facts.h %D%/facts_private.h \
	%D%/facts_cgroup.c \
	%D%/facts_counter.c \
	%D%/facts_cpu.c \
	%D%/facts_file.c \
	%D%/facts_host.c \
	%D%/facts_irq.c \
	%D%/facts_link.c \
	%D%/facts_memory.c \
	%D%/facts_others.c \
	%D%/facts_process.c \
	%D%/facts_served.c \
	%D%/facts_thread.c \
	%D%/facts_traffic.c \
	%D%/findprog.c %D%/findprog.h \
	%D%/force.c %D%/force.h %D%/force_private.h \
	%D%/force_companion.c \
	%D%/force_threads.c \
	%D%/launch.c %D%/launch.h \
	%D%/output_tail.c %D%/output_tail.h \
	%D%/pidstat.c %D%/pidstat.h \
	%D%/procstat.c %D%/procstat.h \
	%D%/proctree.c %D%/proctree.h
%C%_libos_a_SOURCES += \
	%D%/iface.c %D%/iface.h \
	%D%/pktring_rx.c %D%/pktring_rx.h \
	%D%/pkttx.c %D%/pkttx.h \
	%D%/thread.c %D%/thread.h
%C%_libos_a_SOURCES += \
	%D%/audit_busy.c \
	%D%/audit_cpu.c \
	%D%/audit_ethtool.c \
	%D%/audit_host.c \
	%D%/audit_irq.c \
	%D%/audit_nic.c \
	%D%/audit_private.h \
	%D%/audit_read.c %D%/audit_read.h \
	%D%/audit_task.c \
	%D%/audit_topology.c \
	%D%/audit_used.c
