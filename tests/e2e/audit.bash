# SPDX-License-Identifier: GPL-3.0-or-later
# What every answer of satprof audit has to be, here and in the lab's machine.
# shellcheck shell=bash

# is_valid: the JSON in standard input is by the contract: every key is there, every
# finding is complete, and what cannot be read is told once, with its reason.
is_valid() {
	jq -e '.schema == 1
		and ([.findings, .not_readable, .nics, .threads, .memory, .nodes,
			.cpus.list] | all(type == "array"))
		and all(.findings[]; keys == ["id", "mend", "of", "severity", "what", "why"]
			and (.severity | IN("problem", "advice", "note"))
			and .what != "" and .why != "")
		and all(.not_readable[]; .what != "" and .why != "")
		and ([.not_readable[].what] | length == (unique | length))
		and ([.. | numbers] | all(. >= 0))' >/dev/null
}

# is_explained ROOT NOBODY: what root's answer has and nobody's has not is told there as
# not readable, with what would help.
is_explained() {
	jq -en --slurpfile root "$1" --slurpfile nobody "$2" '
		{"dma_latency_ns": "whether idle states are held off",
		 "irqbalance": "whether irqbalance runs",
		 "numa_balancing": "automatic NUMA balancing",
		 "clock_source": "clock source", "idle_driver": "idle driver",
		 "idle_governor": "idle governor", "thp": "transparent huge pages",
		 "huge_pages": "huge pages", "huge_pages_free": "huge pages",
		 "huge_page_bytes": "huge pages", "mitigations": "mitigations",
		 "quota_cpus": "CPU quota", "throttled": "CPU quota",
		 "throttled_ns": "CPU quota"} as $names |
		$root[0] as $r | $nobody[0] as $n |
		def told($what): any($n.not_readable[]; .what == $what);
		(($r.host | keys) - ($n.host | keys) | all(told($names[.])))
		and ($r.memory == [] or $n.memory != [] or told("memory of the SUT by node"))
		and ((any($r.nics[]; .used) | not) or any($n.nics[]; .used)
			or told("which interfaces the SUT uses"))
		and ([$r.nics[].node] == [] or [$n.nics[].node] != [] or told("interfaces"))
		and all($n.not_readable[]; (.why | contains("not permitted") | not)
			or (.why | contains("(try as root")))'
}

# notes_of: how many things the text in standard input tells as not readable.
notes_of() {
	awk '/^Not readable/ { on = 1; next }
		/^$/ { on = 0 }
		on && /^  [^ ]/ { n++ }
		END { print n + 0 }'
}
