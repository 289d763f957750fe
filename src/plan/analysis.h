/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysis of a run: knees, shifts, what ran out, the verdict and why. A pure
 * function of the run; `show`, the reports and the gate print it and compute
 * nothing of their own. The rules are design sections 2, 3 and 5; verdicts carry
 * VERDICT_RULE_VERSION.
 *
 * Absent numbers: a double that is not known or not defined is NAN, a count or
 * flag beside it says why; a writer leaves such a key out. A bound is in lo_pps or
 * hi_pps and leaves knee_pps NAN. Rates packets/s, times ns, fractions 0 to 1.
 */
#ifndef SATPROF_PLAN_ANALYSIS_H
#define SATPROF_PLAN_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "model/verdict.h"
#include "plan/causes.h"
#include "plan/mlrsearch.h"
#include "stat/hinge.h"

/* A knee or a shift is judged from this many blocks on. */
#define ANALYSIS_BLOCKS_MIN 6
/* At or over this share of its time a CPU or a thread has run out. */
#define ANALYSIS_EXHAUSTED_FRAC 0.95
/* A function with this share of the samples on an exhausted CPU is `capacity`. */
#define ANALYSIS_CAPACITY_FRAC 0.10
/* Where CPU time per packet is read, as a fraction of the arm's knee. */
#define ANALYSIS_COST_REL_RATE 0.85

/* One arm's mini-sweep of one block. */
struct analysis_minisweep {
	uint32_t block, arm;
	/* INVALID, too, where the block was cut short or is crowded. */
	struct hinge_fit fit;
	double wait_frac; /* the SUT's for a CPU, minisweep_wait_frac(), mean of trials
			   */
	bool is_crowded;  /* others had it wait: minisweep_wait_limit() */
	/* ln knee with the narrowest and the widest corner of the shape, less its own:
	 * what is not known of the corner; 0 for a sharp one. */
	double ln_narrow, ln_wide;
	/* Its trials in analysis.grid, by rate. */
	size_t first_trial, n_trials;
	/* The fit has no knee, and its highest rate was limited by this one
	 * (LIMITED_GENERATOR or LIMITED_RECEIVER; else LIMITED_NOT). */
	enum limited_by spoiled_by;
	/* Relative step that counting can resolve: a burst at the window's edge. */
	double resolution_frac;
	double cpu_ns_per_pkt; /* at 0.85 of the arm's knee; see analysis_arm */
};

/* A resource of the SUT that ran out at the knee and above. */
struct analysis_exhausted {
	char what[32];    /* "cpu 1", "thread fwd", "link" */
	int32_t cpu;      /* the CPU, -1 for what is none */
	double busy_frac; /* median over the trials at the knee and above */
	/* It is as busy at the lowest rate: a busy-polling SUT, which says nothing
	 * about load. */
	bool busy_polls;
};

/* Where frames were lost at the knee and above. */
struct analysis_drop {
	enum ledger_point point; /* unsent, refused, egress_drop, sut_drop, rx_drop */
	char place[24];          /* a known place, or the point's name */
	double frac;             /* mean over trials, of the intended frames */
};

/* One rate of an arm: medians over blocks. */
struct analysis_rate {
	double rel_rate; /* position in the grid, of the centre; NAN for --rates */
	double rate_pps, offered_pps, goodput_pps, loss_frac, cpu_ns_per_pkt;
	double p50_ns, p99_ns;    /* latency; NAN where not measured */
	size_t n_trials, n_valid; /* valid ones made the medians */
	size_t n_spoiled;         /* generator or receiver was the limit */
};

/* NDR or PDR: MLRsearch conditional throughput, and the bounds around it. */
struct analysis_throughput {
	bool is_asked; /* by --ndr, of this arm */
	enum mlrsearch_end end;
	/* Not the SUT but this one failed the load above (generator or receiver);
	 * LIMITED_NOT: it was the SUT. */
	enum limited_by spoiled_by;
	double pps;            /* NAN unless regular and not spoiled */
	double lo_pps, hi_pps; /* relevant bounds; NAN where there is none */
	size_t n_trials;       /* of the search, valid ones */
};

/* A CPU of the SUT at the knee and above, in parts of the time. */
struct analysis_cpu_use {
	int32_t cpu;
	double busy_frac;
	double user_frac, system_frac, softirq_frac, irq_frac,
		steal_frac;                 /* by ticks */
	double frequency_hz, thermal_per_s; /* NAN: not known here */
};

/* The SUT's threads of one name there: the busiest of them. */
struct analysis_thread_use {
	char name[16];
	double run_frac, wait_frac; /* on a CPU; runnable, but waiting for one */
	double off_frac;            /* asleep, or blocked */
	double wakes_per_s;         /* voluntary switches */
};

/* The whole of a link, or of what a control group allows, from these shares on. */
#define ANALYSIS_LINK_FULL_FRAC 0.97
#define ANALYSIS_THROTTLED_FRAC 0.05
/* Facts of the run's fingerprint: the slowest of its links, bits/s; and which counters
 * of the bandwidth of memory and PCIe there are. */
#define ANALYSIS_LINE_FACT   "line_bps"
#define ANALYSIS_MEMORY_FACT "memory_bandwidth"
#define ANALYSIS_PCIE_FACT   "pcie_bandwidth"

/* What passed the memory and the PCIe of a package there, whoever's it was; NAN: not
 * counted here. How much could have passed is not known, so none of it runs out. */
struct analysis_package_use {
	int32_t package;
	/* By its memory controllers. */
	double memory_read_bytes_per_s, memory_write_bytes_per_s;
	/* By its last level caches, both ways; and of that to its own memory. */
	double memory_traffic_bytes_per_s, memory_local_bytes_per_s;
	double llc_bytes;                                 /* held in those caches */
	double pcie_in_bytes_per_s, pcie_out_bytes_per_s; /* from, to devices */
};

/* What was used at an arm's knee and above, whether it ran out or not. */
struct analysis_resources {
	size_t n_cpus;
	struct analysis_cpu_use *cpus; /* ascending */
	size_t n_threads;
	struct analysis_thread_use *threads; /* busiest first */
	/* The knee on the wire (L1); NAN without a knee or a frame size. What the link
	 * carries; NAN: not known, or a link of memory that has no rate. */
	double link_bps, line_bps;
	double throttled_frac; /* of the time, by a control group; NAN: not known */
	/* Waits for kernel locks on the SUT's CPUs; NAN: not counted. */
	double lock_waits_per_pkt, lock_waits_per_s;
	size_t n_packages;
	struct analysis_package_use *packages; /* ascending; none where not counted */
	/* Nothing of this and no CPU or thread ran out at the knee: the SUT waits. */
	bool waits;
};

struct analysis_arm {
	char name[ARM_NAME_MAX];
	/* exp(Hodges-Lehmann of ln knee over the exact blocks), exact signed-rank
	 * interval; a bound in most blocks makes the arm's bound: the median of
	 * the blocks' bounds. lo and hi NAN while there are too few blocks. */
	double knee_pps, lo_pps, hi_pps;
	double level;          /* achieved by lo and hi; NAN without them */
	enum hinge_kind bound; /* INVALID: no knee and no bound */
	/* Its goodput over rate is no hinge: at this fraction of the grid's center the
	 * goodput lies off the fit by so much of the knee, in all blocks alike; then
	 * there is no knee. NAN: it is. */
	double misfit_rel_rate, misfit_frac;
	/* The same at and above the center, where it is no more than a bend of the way
	 * on: the intervals are wider by it. 0: none. */
	double bend_frac;
	size_t n_blocks; /* valid: exact or a bound, and not spoiled */
	size_t n_exact, n_above_max, n_below_min, n_invalid, n_spoiled;
	/* Who limited most trials at the knee and above; NOT: nobody, or no knee. */
	enum limited_by limited_by;
	enum limited_by spoiled_by; /* most of the spoiled mini-sweeps; or NOT */
	/* Median over blocks; NAN without a knee or for a busy-polling SUT. */
	double cpu_ns_per_pkt;
	struct analysis_throughput ndr, pdr; /* arm 0 with --ndr */
	bool busy_polls; /* a SUT CPU is exhausted at the lowest rate already */
	size_t n_exhausted;
	struct analysis_exhausted *exhausted; /* busiest first */
	size_t n_drops;
	struct analysis_drop *drops; /* greatest first */
	struct analysis_resources resources;
	size_t n_rates;
	struct analysis_rate *rates;             /* ascending */
	uint64_t n_samples, n_lost, n_throttled; /* over all its trials */
};

/* What R = ln(knee / knee_ref) + ln(cost / cost_ref) says (statistics b4). */
enum analysis_consistency {
	CONSISTENCY_UNDEFINED,  /* cost is not defined in both arms */
	CONSISTENCY_COST,       /* R within the margin: cycles taken, nothing moved */
	CONSISTENCY_MOVED,      /* R below it: the bottleneck moved */
	CONSISTENCY_GAINED,     /* R above it: more packets than the cost explains */
	CONSISTENCY_UNRESOLVED, /* the interval reaches over the margin */
};

/* An arm against the reference, arm 0: pairs within blocks. */
struct analysis_shift {
	uint32_t arm, ref;
	enum verdict verdict; /* none helps hurts inconclusive no-knee broken */
	bool is_spoilt;       /* inconclusive for bands, whatever the interval says */
	size_t n_blocks;      /* exact in both arms */
	double shift_frac;    /* exp(HL of ln differences) - 1; > 0: higher knee */
	double lo_frac, hi_frac; /* NAN below ANALYSIS_BLOCKS_MIN blocks */
	/* The confidence sequence of the mean shift, at (1 + level) / 2, holds however
	 * often one looks: --until-decided stops by it. NAN below CONFSEQ_N_MIN blocks.
	 */
	double seq_lo_frac, seq_hi_frac;
	double level;   /* achieved; NAN without an interval */
	double sd_frac; /* of the differences; NAN below 2 blocks */
	/* The shift that these blocks would find with a chance of 80 %. */
	double smallest_visible_frac;
	/* For a half-width of the margin; 0: not known. */
	size_t blocks_needed;
	enum analysis_consistency consistency;
	double r, r_lo, r_hi; /* NAN where undefined */
	/* How much higher the shift is in blocks where the arm ran after the reference
	 * than where it ran before, with the exact rank-sum interval. NAN where there
	 * are not both, the interval also where they are too few. The coin for the
	 * order keeps it out of the shift. */
	double order_frac, order_lo_frac, order_hi_frac;
	/* What else differs between the two arms (plan/causes.h), strongest suspect
	 * first; none for a verdict that leaves nothing to explain. */
	size_t n_causes;
	struct cause *causes;
};

/*
 * How the shift grows with the sampling rate f (statistics b4): block by block
 * knee / knee_ref - 1 = fixed + slope f over the sampling arms, least squares, then
 * Hodges-Lehmann over blocks. fixed is the price of being attached at all, slope of
 * each kHz. A sample takes a fixed time from the CPU, so a share of the capacity is
 * what grows in proportion to f; its logarithm would be bent where the shift is large.
 * Belongs to every sampling arm's row.
 */
struct analysis_dose {
	size_t n_doses;  /* different sampling rates; below 2 all else is NAN */
	size_t n_blocks; /* exact in arm 0 and in at least two sampling rates */
	/* With three rates or more: the middle one lies off the line of the lowest
	 * and the highest by more than noise. The line is then not given. */
	bool is_curved;
	double slope_frac_per_khz, slope_lo_frac_per_khz, slope_hi_frac_per_khz;
	double fixed_frac, fixed_lo_frac, fixed_hi_frac;
	enum arm_kind kind; /* of the arms that are the doses; ARM_OFF: none are */
};

/* What disturbed a run, as far as its own numbers tell. */
enum analysis_noise_kind {
	NOISE_ORDER,     /* an arm does otherwise after the reference than before it */
	NOISE_BANDS,     /* an arm's knees fall into two bands */
	NOISE_DRIFT,     /* knees rise or fall over the run */
	NOISE_STEP,      /* they do at once */
	NOISE_DISTURBED, /* some mini-sweeps lie far from the rest of their arm */
	NOISE_LOAD,      /* others ran on the SUT's CPUs, and the SUT waited for them */
	NOISE_STEAL,     /* the hypervisor took the SUT's CPUs away */
};

struct analysis_noise {
	enum analysis_noise_kind kind;
	uint32_t arm;     /* meaningless for DRIFT and STEP: all arms together */
	double size_frac; /* how much; signed for ORDER, DRIFT and STEP */
	uint32_t block;   /* STEP: the first block after it; DISTURBED: the worst */
	size_t n;         /* DISTURBED: mini-sweeps */
	/* BANDS: means of the two, and how many of the arm's blocks are in each. */
	double lo_pps, hi_pps;
	size_t n_lo, n_hi;
};

/*
 * A suspected cause, forced with the observer off, in fresh blocks interleaved with off
 * and on (design 5). The shifts are of these blocks.
 */
struct analysis_confirmation {
	uint32_t phase;
	uint32_t ref, arm, forced; /* the run's arms */
	enum factor factor;
	enum cause_state state;
	struct analysis_shift on_off, forced_off, forced_on;
	double off_pps, on_pps, forced_pps; /* knees; NAN: none */
	/* Forced against on lies within +- this, in logarithms: then forcing does what
	 * the observer does. NAN where the shift itself did not come again. */
	double ln_bound;
	char why[200]; /* the rule that decided, or what lacks for it */
};

enum analysis_class { CLASS_UNRESOLVED, CLASS_CAPACITY };

/* A function's own (self) cost in the first sampling arm. */
struct analysis_function {
	const char *name, *module; /* borrowed from the run */
	double below_ns_per_pkt, above_ns_per_pkt;
	uint64_t samples_below, samples_above;
	double share_above; /* of the samples on the exhausted CPU, else on all */
	enum analysis_class class;
};

struct analysis {
	enum verdict verdict;
	bool valid;         /* false: broken */
	bool profile_valid; /* also true where nothing was to be sampled */
	bool has_profile;   /* there are samples */
	bool has_facts;     /* some grid trial has facts */
	size_t n_reasons, cap_reasons;
	char **reasons;            /* sentences, the deciding one first */
	double level, margin_frac; /* as asked */
	/* --until-decided: it was looked at after each block. */
	bool is_sequential;
	/* 1.96 x sd of successive differences of ln knee of arm 0 / sqrt(0.955 n)
	 * (0.955: efficiency of the signed rank); NAN below 3 exact blocks. */
	double noise_floor_frac;
	size_t n_arms;
	struct analysis_arm *arms; /* in the run's order */
	size_t n_grid;
	const struct trial **grid; /* grid trials by block, arm, rate; the run's */
	struct hinge_shape shape;  /* what all fits have in common */
	size_t n_minisweeps;
	struct analysis_minisweep *minisweeps; /* by block, then arm */
	size_t n_shifts;
	struct analysis_shift *shifts; /* one an arm after the first */
	size_t n_noise, cap_noise;
	struct analysis_noise *noise; /* by kind, then arm */
	/* How the knees changed from the first to the last mini-sweep, Theil-Sen over
	 * all arms, each relative to its own knee; NAN below 3. */
	double drift_frac;
	struct analysis_dose dose;
	/* --confirm: one a suspect that was forced, in the order of the run. */
	size_t n_confirmations;
	struct analysis_confirmation *confirmations;
	/* Why there is none though it was asked for; "": the run did not come to it. */
	char no_confirmation[480];
	uint32_t functions_arm; /* meaningful where has_profile */
	size_t n_functions;
	struct analysis_function *functions; /* costliest above first */
};

/* Borrows run for the call; its trials and names stay the run's, so *ret must not
 * outlive it. Never fails: what cannot be said is broken, with a reason. */
void analysis_make(const struct run *run, struct analysis *ret_analysis);
void analysis_done(struct analysis *a);

/*
 * none: lo and hi within +-margin; helps, hurts: 0 outside; both: none; else
 * inconclusive, also where they are NAN.
 */
enum verdict analysis_shift_verdict(double lo_frac, double hi_frac, double margin_frac);

/* What sweep and show exit with: the verdict's code; where that is 0 and NDR or PDR
 * was asked for and is only a bound 3, and 6 where it was not the SUT's. */
enum exit_code analysis_exit_code(const struct analysis *a);

/* "exact", "above-max", "below-min", "unfinished", "generator", "receiver". */
const char *analysis_throughput_word(const struct analysis_throughput *t);
/* "cost", "moved", ...; "capacity", "unresolved". */
const char *analysis_consistency_name(enum analysis_consistency c);
const char *analysis_class_name(enum analysis_class c);
/* "order", "two-bands", "drift", "step", "disturbed", "load", "steal". */
const char *analysis_noise_name(enum analysis_noise_kind k);

#endif
