# SPDX-License-Identifier: GPL-3.0-or-later

check_PROGRAMS += %D%/test-perf-decode
TESTS += %D%/test-perf-decode
%C%_test_perf_decode_SOURCES = %D%/test-perf-decode.c
%C%_test_perf_decode_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-perf-events
TESTS += %D%/test-perf-events
%C%_test_perf_events_SOURCES = %D%/test-perf-events.c
%C%_test_perf_events_LDADD = $(TEST_OBSERVE_LIBS)

check_PROGRAMS += %D%/test-perf-sysfs
TESTS += %D%/test-perf-sysfs
%C%_test_perf_sysfs_SOURCES = \
	%D%/test-perf-sysfs.c %D%/roottree.c %D%/roottree.h
%C%_test_perf_sysfs_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-symbols
TESTS += %D%/test-symbols
%C%_test_symbols_SOURCES = %D%/test-symbols.c
%C%_test_symbols_LDADD = $(TEST_SYMBOL_LIBS)

check_PROGRAMS += %D%/test-observer-contract
TESTS += %D%/test-observer-contract
%C%_test_observer_contract_SOURCES = %D%/test-observer-contract.c
%C%_test_observer_contract_LDADD = $(TEST_OBSERVE_LIBS)

check_PROGRAMS += %D%/test-outside
TESTS += %D%/test-outside
%C%_test_outside_SOURCES = %D%/test-outside.c
%C%_test_outside_LDADD = $(TEST_OBSERVE_LIBS)

check_PROGRAMS += %D%/test-hist
TESTS += %D%/test-hist
%C%_test_hist_SOURCES = %D%/test-hist.c
%C%_test_hist_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-arm
TESTS += %D%/test-arm
%C%_test_arm_SOURCES = %D%/test-arm.c
%C%_test_arm_LDADD = $(TEST_MODEL_LIBS)

check_PROGRAMS += %D%/test-clock
TESTS += %D%/test-clock
%C%_test_clock_SOURCES = %D%/test-clock.c
%C%_test_clock_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-clean
TESTS += %D%/test-clean
%C%_test_clean_SOURCES = %D%/test-clean.c
%C%_test_clean_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-err
TESTS += %D%/test-err
%C%_test_err_SOURCES = %D%/test-err.c
%C%_test_err_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-ledger
TESTS += %D%/test-ledger
%C%_test_ledger_SOURCES = %D%/test-ledger.c
%C%_test_ledger_LDADD = $(TEST_MODEL_LIBS)

check_PROGRAMS += %D%/test-log
TESTS += %D%/test-log
%C%_test_log_SOURCES = %D%/test-log.c
%C%_test_log_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-mem
TESTS += %D%/test-mem
%C%_test_mem_SOURCES = %D%/test-mem.c
%C%_test_mem_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-pacing
TESTS += %D%/test-pacing
%C%_test_pacing_SOURCES = %D%/test-pacing.c
%C%_test_pacing_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-traffic
TESTS += %D%/test-traffic
%C%_test_traffic_SOURCES = %D%/test-traffic.c
%C%_test_traffic_LDADD = $(TEST_MODEL_LIBS)

check_PROGRAMS += %D%/test-units
TESTS += %D%/test-units
%C%_test_units_SOURCES = %D%/test-units.c
%C%_test_units_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-verdict
TESTS += %D%/test-verdict
%C%_test_verdict_SOURCES = %D%/test-verdict.c
%C%_test_verdict_LDADD = $(TEST_MODEL_LIBS)
check_PROGRAMS += %D%/test-hinge
TESTS += %D%/test-hinge
%C%_test_hinge_SOURCES = %D%/test-hinge.c
%C%_test_hinge_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-ranktest
TESTS += %D%/test-ranktest
%C%_test_ranktest_SOURCES = %D%/test-ranktest.c
%C%_test_ranktest_LDADD = $(TEST_STAT_LIBS)
check_PROGRAMS += %D%/test-lab
TESTS += %D%/test-lab
%C%_test_lab_SOURCES = %D%/test-lab.c
%C%_test_lab_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-account
TESTS += %D%/test-account
%C%_test_account_SOURCES = %D%/test-account.c
%C%_test_account_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-analysis
TESTS += %D%/test-analysis
%C%_test_analysis_SOURCES = %D%/test-analysis.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-analysis-blocks
TESTS += %D%/test-analysis-blocks
%C%_test_analysis_blocks_SOURCES = \
	%D%/test-analysis-blocks.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_blocks_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-analysis-limits
TESTS += %D%/test-analysis-limits
%C%_test_analysis_limits_SOURCES = \
	%D%/test-analysis-limits.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_limits_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-analysis-resources
TESTS += %D%/test-analysis-resources
%C%_test_analysis_resources_SOURCES = \
	%D%/test-analysis-resources.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_resources_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-causes
TESTS += %D%/test-causes
%C%_test_causes_SOURCES = %D%/test-causes.c $(CAUSERUN_SOURCES)
%C%_test_causes_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-causes-numbers
TESTS += %D%/test-causes-numbers
%C%_test_causes_numbers_SOURCES = %D%/test-causes-numbers.c $(CAUSERUN_SOURCES)
%C%_test_causes_numbers_LDADD = $(TEST_PLAN_LIBS)

CAUSERUN_SOURCES = %D%/causerun.c %D%/causerun.h %D%/synthrun.c %D%/synthrun.h

check_PROGRAMS += %D%/test-caps
TESTS += %D%/test-caps
%C%_test_caps_SOURCES = %D%/test-caps.c %D%/roottree.c %D%/roottree.h
%C%_test_caps_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-host
TESTS += %D%/test-host
%C%_test_host_SOURCES = %D%/test-host.c %D%/roottree.c %D%/roottree.h
%C%_test_host_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-output-tail
TESTS += %D%/test-output-tail
%C%_test_output_tail_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-launch
TESTS += %D%/test-launch
%C%_test_launch_SOURCES = %D%/test-launch.c %D%/keeperhelp.c %D%/keeperhelp.h
%C%_test_launch_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-keeper-end
TESTS += %D%/test-keeper-end
%C%_test_keeper_end_SOURCES = \
	%D%/test-keeper-end.c %D%/keeperhelp.c %D%/keeperhelp.h
%C%_test_keeper_end_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-keeper
TESTS += %D%/test-keeper
%C%_test_keeper_SOURCES = %D%/test-keeper.c %D%/keeperhelp.c %D%/keeperhelp.h
%C%_test_keeper_LDADD = $(TEST_OS_LIBS)
RUN_FIXTURE_SOURCES = tests/fixture/run_fixture.c tests/fixture/run_fixture.h
RUN_STORE_SOURCES = $(RUN_FIXTURE_SOURCES) tests/fixture/run_compare.c \
	tests/fixture/store_box.c tests/fixture/store_box.h

check_PROGRAMS += %D%/test-run-store
TESTS += %D%/test-run-store
%C%_test_run_store_SOURCES = %D%/test-run-store.c $(RUN_STORE_SOURCES)
%C%_test_run_store_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-run-store-damage
TESTS += %D%/test-run-store-damage
%C%_test_run_store_damage_SOURCES = %D%/test-run-store-damage.c $(RUN_STORE_SOURCES)
%C%_test_run_store_damage_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-run-store-durable
TESTS += %D%/test-run-store-durable
%C%_test_run_store_durable_SOURCES = \
	%D%/test-run-store-durable.c $(RUN_STORE_SOURCES)
%C%_test_run_store_durable_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-run-model
TESTS += %D%/test-run-model
%C%_test_run_model_SOURCES = %D%/test-run-model.c
%C%_test_run_model_LDADD = $(TEST_MODEL_LIBS)

check_PROGRAMS += %D%/test-profile
TESTS += %D%/test-profile
%C%_test_profile_SOURCES = %D%/test-profile.c
%C%_test_profile_LDADD = $(TEST_MODEL_LIBS)


check_PROGRAMS += %D%/test-cpuplan
TESTS += %D%/test-cpuplan
%C%_test_cpuplan_SOURCES = %D%/test-cpuplan.c %D%/roottree.c %D%/roottree.h
%C%_test_cpuplan_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-procstat
TESTS += %D%/test-procstat
%C%_test_procstat_SOURCES = %D%/test-procstat.c %D%/roottree.c %D%/roottree.h
%C%_test_procstat_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sut
TESTS += %D%/test-sut
%C%_test_sut_SOURCES = %D%/test-sut.c
%C%_test_sut_LDADD = src/sut/libsut.a $(TEST_OS_LIBS)
check_PROGRAMS += %D%/test-restore
TESTS += %D%/test-restore
%C%_test_restore_SOURCES = %D%/test-restore.c
%C%_test_restore_LDADD = $(TEST_OS_LIBS)
check_PROGRAMS += %D%/test-coarse
TESTS += %D%/test-coarse
%C%_test_coarse_SOURCES = %D%/test-coarse.c
%C%_test_coarse_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-analysis-campaigns
TESTS += %D%/test-analysis-campaigns
%C%_test_analysis_campaigns_SOURCES = \
	%D%/test-analysis-campaigns.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_campaigns_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-values
TESTS += %D%/test-values
%C%_test_values_SOURCES = %D%/test-values.c
%C%_test_values_LDADD = $(TEST_STAT_LIBS)
check_PROGRAMS += %D%/test-forward-frame
TESTS += %D%/test-forward-frame
%C%_test_forward_frame_SOURCES = %D%/test-forward-frame.c
%C%_test_forward_frame_LDADD = src/sut/libsut.a $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-forward-police
TESTS += %D%/test-forward-police
%C%_test_forward_police_SOURCES = %D%/test-forward-police.c
%C%_test_forward_police_LDADD = src/sut/libsut.a $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-forward-lookup
TESTS += %D%/test-forward-lookup
%C%_test_forward_lookup_SOURCES = %D%/test-forward-lookup.c
%C%_test_forward_lookup_LDADD = src/sut/libsut.a $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-forward-cost
TESTS += %D%/test-forward-cost
%C%_test_forward_cost_SOURCES = %D%/test-forward-cost.c
%C%_test_forward_cost_LDADD = src/sut/libsut.a $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-forward-stats
TESTS += %D%/test-forward-stats
%C%_test_forward_stats_SOURCES = %D%/test-forward-stats.c
%C%_test_forward_stats_LDADD = src/sut/libsut.a $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-gen-frame
TESTS += %D%/test-gen-frame
%C%_test_gen_frame_SOURCES = %D%/test-gen-frame.c
%C%_test_gen_frame_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-gen-pace
TESTS += %D%/test-gen-pace
%C%_test_gen_pace_SOURCES = %D%/test-gen-pace.c
%C%_test_gen_pace_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-gen-rx
TESTS += %D%/test-gen-rx
%C%_test_gen_rx_SOURCES = %D%/test-gen-rx.c
%C%_test_gen_rx_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-gen-pcapfile
TESTS += %D%/test-gen-pcapfile
%C%_test_gen_pcapfile_SOURCES = %D%/test-gen-pcapfile.c
%C%_test_gen_pcapfile_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-gen-retag
TESTS += %D%/test-gen-retag
%C%_test_gen_retag_SOURCES = %D%/test-gen-retag.c
%C%_test_gen_retag_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-minisweep
TESTS += %D%/test-minisweep
%C%_test_minisweep_SOURCES = %D%/test-minisweep.c
%C%_test_minisweep_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-mlrsearch
TESTS += %D%/test-mlrsearch
%C%_test_mlrsearch_SOURCES = %D%/test-mlrsearch.c
%C%_test_mlrsearch_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-mlrsearch-class
TESTS += %D%/test-mlrsearch-class
%C%_test_mlrsearch_class_SOURCES = %D%/test-mlrsearch-class.c
%C%_test_mlrsearch_class_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-bands
TESTS += %D%/test-bands
%C%_test_bands_SOURCES = %D%/test-bands.c
%C%_test_bands_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-modt
TESTS += %D%/test-modt
%C%_test_modt_SOURCES = %D%/test-modt.c
%C%_test_modt_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-multiple
TESTS += %D%/test-multiple
%C%_test_multiple_SOURCES = %D%/test-multiple.c
%C%_test_multiple_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-ranksum
TESTS += %D%/test-ranksum
%C%_test_ranksum_SOURCES = %D%/test-ranksum.c
%C%_test_ranksum_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-signflip
TESTS += %D%/test-signflip
%C%_test_signflip_SOURCES = %D%/test-signflip.c
%C%_test_signflip_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-trend
TESTS += %D%/test-trend
%C%_test_trend_SOURCES = %D%/test-trend.c
%C%_test_trend_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-fluid
TESTS += %D%/test-fluid
%C%_test_fluid_SOURCES = %D%/test-fluid.c
%C%_test_fluid_LDADD = $(TEST_SIM_LIBS)

check_PROGRAMS += %D%/test-hinge-shape
TESTS += %D%/test-hinge-shape
%C%_test_hinge_shape_SOURCES = %D%/test-hinge-shape.c
%C%_test_hinge_shape_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-analysis-noise
TESTS += %D%/test-analysis-noise
%C%_test_analysis_noise_SOURCES = \
	%D%/test-analysis-noise.c %D%/synthrun.c %D%/synthrun.h
%C%_test_analysis_noise_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-confseq
TESTS += %D%/test-confseq
%C%_test_confseq_SOURCES = %D%/test-confseq.c
%C%_test_confseq_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-metamorphic
TESTS += %D%/test-metamorphic
%C%_test_metamorphic_SOURCES = \
	%D%/test-metamorphic.c %D%/synthrun.c %D%/synthrun.h
%C%_test_metamorphic_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-selftest
TESTS += %D%/test-selftest
%C%_test_selftest_SOURCES = %D%/test-selftest.c %D%/synthrun.c %D%/synthrun.h
%C%_test_selftest_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-gen-answer
TESTS += %D%/test-gen-answer
%C%_test_gen_answer_SOURCES = %D%/test-gen-answer.c
%C%_test_gen_answer_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-gen-external
TESTS += %D%/test-gen-external
%C%_test_gen_external_SOURCES = \
	%D%/test-gen-external.c %D%/keeperhelp.c %D%/keeperhelp.h
%C%_test_gen_external_LDADD = $(TEST_GEN_LIBS)

check_PROGRAMS += %D%/test-cpulist
TESTS += %D%/test-cpulist
%C%_test_cpulist_SOURCES = %D%/test-cpulist.c
%C%_test_cpulist_LDADD = $(TEST_BASE_LIBS)

check_PROGRAMS += %D%/test-audit-place %D%/test-audit-host
TESTS += %D%/test-audit-place %D%/test-audit-host
%C%_test_audit_place_SOURCES = \
	%D%/test-audit-place.c %D%/auditbox.c %D%/auditbox.h
%C%_test_audit_place_LDADD = $(TEST_PLAN_LIBS)
%C%_test_audit_host_SOURCES = \
	%D%/test-audit-host.c %D%/auditbox.c %D%/auditbox.h \
	%D%/synthrun.c %D%/synthrun.h
%C%_test_audit_host_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-facts
TESTS += %D%/test-facts
%C%_test_facts_SOURCES = %D%/test-facts.c %D%/facttree.c %D%/facttree.h \
	%D%/roottree.c %D%/roottree.h
%C%_test_facts_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-facts-machine
TESTS += %D%/test-facts-machine
%C%_test_facts_machine_SOURCES = %D%/test-facts-machine.c %D%/facttree.c \
	%D%/facttree.h %D%/roottree.c %D%/roottree.h
%C%_test_facts_machine_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-facts-counters
TESTS += %D%/test-facts-counters
%C%_test_facts_counters_SOURCES = %D%/test-facts-counters.c %D%/facttree.c \
	%D%/facttree.h %D%/roottree.c %D%/roottree.h
%C%_test_facts_counters_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-facts-others
TESTS += %D%/test-facts-others
%C%_test_facts_others_SOURCES = %D%/test-facts-others.c %D%/facttree.c \
	%D%/facttree.h %D%/roottree.c %D%/roottree.h
%C%_test_facts_others_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-run-view
TESTS += %D%/test-run-view
%C%_test_run_view_SOURCES = %D%/test-run-view.c $(RUN_FIXTURE_SOURCES)
%C%_test_run_view_LDADD = $(TEST_MODEL_LIBS)

check_PROGRAMS += %D%/test-force
TESTS += %D%/test-force
%C%_test_force_SOURCES = %D%/test-force.c %D%/forcehelp.c %D%/forcehelp.h
%C%_test_force_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-force-companion
TESTS += %D%/test-force-companion
%C%_test_force_companion_SOURCES = %D%/test-force-companion.c %D%/forcehelp.c \
	%D%/forcehelp.h %D%/roottree.c %D%/roottree.h
%C%_test_force_companion_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-confirm
TESTS += %D%/test-confirm
%C%_test_confirm_SOURCES = %D%/test-confirm.c %D%/synthrun.c %D%/synthrun.h
%C%_test_confirm_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-confirm-launch
TESTS += %D%/test-confirm-launch
%C%_test_confirm_launch_SOURCES = %D%/test-confirm-launch.c $(CAUSERUN_SOURCES)
%C%_test_confirm_launch_LDADD = $(TEST_PLAN_LIBS)

check_PROGRAMS += %D%/test-audit-read
TESTS += %D%/test-audit-read
%C%_test_audit_read_SOURCES = \
	%D%/test-audit-read.c %D%/roottree.c %D%/roottree.h
%C%_test_audit_read_LDADD = $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-audit-tree
TESTS += %D%/test-audit-tree
%C%_test_audit_tree_SOURCES = \
	%D%/test-audit-tree.c %D%/roottree.c %D%/roottree.h
%C%_test_audit_tree_LDADD = $(TEST_OS_LIBS)
EXTRA_DIST += \
	tests/fixture/audit/four-nodes.tar.gz \
	tests/fixture/audit/odd-nodes.tar.gz \
	tests/fixture/audit/two-nodes.tar.gz

check_PROGRAMS += %D%/test-selector
TESTS += %D%/test-selector
%C%_test_selector_SOURCES = %D%/test-selector.c $(RUN_FIXTURE_SOURCES)
%C%_test_selector_LDADD = $(TEST_PLAN_LIBS)

EXPORTRUN_SOURCES = %D%/exportrun.c %D%/exportrun.h $(RUN_FIXTURE_SOURCES)

check_PROGRAMS += %D%/test-export
TESTS += %D%/test-export
%C%_test_export_SOURCES = %D%/test-export.c $(EXPORTRUN_SOURCES)
%C%_test_export_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-export-pprof
TESTS += %D%/test-export-pprof
%C%_test_export_pprof_SOURCES = %D%/test-export-pprof.c $(EXPORTRUN_SOURCES)
%C%_test_export_pprof_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-export-metrics
TESTS += %D%/test-export-metrics
%C%_test_export_metrics_SOURCES = %D%/test-export-metrics.c $(EXPORTRUN_SOURCES)
%C%_test_export_metrics_LDADD = $(TEST_CODEC_LIBS)
