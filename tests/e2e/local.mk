# SPDX-License-Identifier: GPL-3.0-or-later
# Tests in network namespaces: `E2E_TESTS += %D%/name.bats`, run by `make check-e2e`.
E2E_TESTS =
E2E_TESTS += %D%/cli.bats
