/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Create, lock and open run files. */
#include "config.h"

#include "codec/run_store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "codec/run_store_schema.h"
#include "codec/sql.h"
#include "model/run.h"

/* A reader may hold the file for a moment, a writer for a commit. */
#define BUSY_TIMEOUT_MS 10000
/* Past every byte SQLite locks, and past every file's end. */
#define WRITER_LOCK_BYTE ((off_t)1 << 40)

static int bytes_write(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t got = write(fd, bytes, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		bytes += got;
		n -= (size_t)got;
	}
	return fsync(fd);
}

/* Run by sudo, what is kept is for the one who called it. */
static void owner_set(int fd)
{
	uid_t uid;
	gid_t gid;

	/* A network file system may refuse: a file of root's is better than none. */
	if (owner_of_files(&uid, &gid) && fchown(fd, uid, gid) != 0)
		errno = 0;
}

/* Gives tmp the name path, unless that is taken. */
static int name_take(const char *tmp, const char *path)
{
	if (renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A file system without RENAME_NOREPLACE. */
	if (link(tmp, path) != 0)
		return -1;
	(void)unlink(tmp); /* the file is there under its name, which counts */
	return 0;
}

/* The name is on the disk, too. Some file systems cannot: then it is as it is. */
static void folder_sync(const char *path)
{
	char *copy = xstrdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd); /* see above */
		(void)close(fd);
	}
	free(copy);
}

static char *tmp_name(const char *path)
{
	uint64_t r;

	if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
		r = (uint64_t)getpid(); /* O_EXCL is what makes it ours */
	return xasprintf("%s.%08x.new", path, (unsigned)r);
}

static int create_error(int sys_errno, struct sp_err *err)
{
	if (sys_errno == EEXIST)
		return sp_err_set(err, SP_EUSAGE,
			"it exists: choose another name with -o, or go on with "
			"--resume");
	if (sys_errno == ENOSPC || sys_errno == EDQUOT || sys_errno == EFBIG)
		return sp_err_errno(err, SP_EIO, sys_errno,
			"cannot create it: make room, or choose another place with -o");
	return sp_err_errno(err, SP_EIO, sys_errno,
		"cannot create it: choose another place with -o");
}

int run_store_file_create(
	const char *path, const void *bytes, size_t n_bytes, struct sp_err *err)
{
	struct stat st;
	char *tmp;
	int fd, rc = 0;

	if (lstat(path, &st) == 0)
		return create_error(EEXIST, err);
	tmp = tmp_name(path);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		rc = create_error(errno, err);
		free(tmp);
		return rc;
	}
	owner_set(fd);
	if (bytes_write(fd, bytes, n_bytes) != 0 || name_take(tmp, path) != 0) {
		rc = create_error(errno, err);
		(void)unlink(tmp); /* nothing is left behind */
	} else {
		folder_sync(path);
	}
	(void)close(fd); /* it was synced */
	free(tmp);
	return rc;
}

int run_store_file_lock(const char *path, int *ret_fd, struct sp_err *err)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = WRITER_LOCK_BYTE,
		.l_len = 1,
	};
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot open it for writing");
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
		*ret_fd = fd;
		return 0;
	}
	if (errno == EAGAIN || errno == EACCES)
		rc = sp_err_set(err, SP_EUSAGE,
			"another satprof writes to it: wait until it has ended, or "
			"choose another file");
	else
		rc = sp_err_errno(err, SP_EIO, errno, "cannot lock it");
	(void)close(fd);
	return rc;
}

static uint32_t be32(const unsigned char *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Offsets as in the SQLite file format, section 1.3. */
static int header_check(const unsigned char *h, size_t n, struct sp_err *err)
{
	uint32_t version;

	if (n < 100 || memcmp(h, "SQLite format 3", 16) != 0 ||
		be32(h + 68) != RUN_STORE_APPLICATION_ID)
		return sp_err_set(err, SP_EFORMAT, "not a satprof run file");
	version = be32(h + 60);
	if (version > RUN_SCHEMA)
		return sp_err_set(err, SP_EFORMAT,
			"its schema is %u and this satprof reads up to %d: use a newer "
			"satprof",
			version, RUN_SCHEMA);
	if (version < 1 || h[18] != 1 || h[19] != 1)
		return sp_err_set(err, SP_EFORMAT,
			"the file is damaged, or another program changed its format");
	return 0;
}

static int header_read(const char *path, struct sp_err *err)
{
	unsigned char h[100];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot open it");
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return sp_err_set(err, SP_EFORMAT, "not a file");
	}
	n = read(fd, h, sizeof(h));
	(void)close(fd);
	if (n < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot read it");
	return header_check(h, (size_t)n, err);
}

/* Opens without a guess about the name: no ":memory:", no URI. */
static int db_open(const char *path, int flags, struct sqlite3 **ret_db)
{
	char *plain = xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	struct sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(plain, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);

	free(plain);
	*ret_db = db;
	if (rc != SQLITE_OK)
		return rc;
	(void)sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	/* The first read is where a journal is found and played back. */
	return sqlite3_exec(db,
		"PRAGMA cell_size_check = ON; SELECT count(*) FROM sqlite_master", NULL,
		NULL, NULL);
}

int run_store_file_open(
	const char *path, bool for_writing, struct sqlite3 **ret_db, struct sp_err *err)
{
	struct sqlite3 *db = NULL;
	int rc = header_read(path, err);

	if (rc != 0)
		return rc;
	rc = db_open(
		path, for_writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, &db);
	if (rc == SQLITE_READONLY_ROLLBACK && !for_writing) {
		(void)sqlite3_close(db);
		rc = db_open(path, SQLITE_OPEN_READWRITE, &db);
	}
	if (rc == SQLITE_OK) {
		*ret_db = db;
		return 0;
	}
	if (rc == SQLITE_READONLY_ROLLBACK)
		rc = sp_err_set(err, SP_EIO,
			"a satprof was killed while it wrote to it, and mending that "
			"needs the right to write to it: run this as its owner");
	else if (db == NULL)
		rc = sp_err_set(err, SP_EIO, "SQLite does not start");
	else
		rc = sql_error(db, rc, err);
	(void)sqlite3_close(db);
	return rc;
}
