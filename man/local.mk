# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += %D%/satprof.1
dist_man_MANS += %D%/satprof-sweep.1
dist_man_MANS += %D%/satprof-lab.1
dist_man_MANS += %D%/satprof-generate.1
dist_man_MANS += %D%/satprof-forward.1
dist_man_MANS += %D%/satprof-probe.1
