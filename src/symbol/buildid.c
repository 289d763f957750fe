/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build-ids out of ELF notes. */
#include "config.h"

#include "symbol/buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUILDID_BYTES_MAX 64u

void buildid_hex(const uint8_t *id, size_t n_bytes, char ret_hex[BUILDID_HEX_MAX])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	if (n_bytes > BUILDID_BYTES_MAX)
		n_bytes = 0;
	for (i = 0; i < n_bytes; i++) {
		ret_hex[2 * i] = digits[id[i] >> 4];
		ret_hex[2 * i + 1] = digits[id[i] & 15];
	}
	ret_hex[2 * n_bytes] = '\0';
}

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

bool buildid_from_notes(const void *notes, size_t len, char ret_hex[BUILDID_HEX_MAX])
{
	const uint8_t *p = notes;
	Elf64_Nhdr h; /* the same layout in 32-bit files */

	ret_hex[0] = '\0';
	while (len >= sizeof(h)) {
		size_t name, desc;

		memcpy(&h, p, sizeof(h));
		name = align4(h.n_namesz);
		desc = align4(h.n_descsz);
		if (name > len - sizeof(h) || desc > len - sizeof(h) - name)
			break;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof(ELF_NOTE_GNU) &&
			memcmp(p + sizeof(h), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) ==
				0) {
			buildid_hex(p + sizeof(h) + name, h.n_descsz, ret_hex);
			return ret_hex[0] != '\0';
		}
		p += sizeof(h) + name + desc;
		len -= sizeof(h) + name + desc;
	}
	return false;
}

void buildid_of_kernel(int root_fd, const char *module, char ret_hex[BUILDID_HEX_MAX])
{
	char path[192] = "sys/kernel/notes";
	uint8_t notes[4096];
	ssize_t n;
	int fd;

	ret_hex[0] = '\0';
	if (module != NULL)
		(void)snprintf(path, sizeof(path),
			"sys/module/%.64s/notes/.note.gnu.build-id", module);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, notes, sizeof(notes));
	(void)close(fd);
	if (n > 0)
		(void)buildid_from_notes(notes, (size_t)n, ret_hex);
}
