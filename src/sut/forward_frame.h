/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Undoing what the kernel did to a frame on its way to a packet socket, so that it
 * leaves as it was on the wire: the VLAN tag goes back in, and a checksum that the
 * sender left to hardware that is not there (VPP-1001) is filled in. Pure.
 */
#ifndef SATPROF_SUT_FORWARD_FRAME_H
#define SATPROF_SUT_FORWARD_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FORWARD_VLAN_BYTES 4u

struct forward_frame {
	uint8_t *
		data; /* from the destination MAC; in the ring, ours until given back */
	uint32_t len; /* without FCS */
	uint64_t arrival_ns; /* CLOCK_REALTIME, from the ring */
	bool is_cut;         /* longer than a ring slot, or several frames merged */
	bool is_bad;         /* its checksum cannot be filled in */
	bool was_partial;    /* its checksum had to be filled in */
};

/*
 * Put a stripped tag back behind the addresses. Moves the start of the frame down
 * by FORWARD_VLAN_BYTES: that many bytes before data must be writable.
 */
void forward_frame_restore_vlan(struct forward_frame *f, uint16_t tpid, uint16_t tci);

/*
 * Fill in an Internet checksum: the one's complement sum from byte `start` to the
 * end goes to start + offset, which holds the pseudo header's sum (what the kernel
 * calls CHECKSUM_PARTIAL). False, frame unchanged: that place is not in the frame,
 * or it is SCTP's, which is a CRC.
 */
bool forward_frame_fill_csum(struct forward_frame *f, uint32_t start, uint32_t offset);

#endif
