# SPDX-License-Identifier: GPL-3.0-or-later
# Hodges-Lehmann estimate with the exact signed-rank interval, for the benches.
# An awk library: awk -f signed-rank.awk -f PROGRAM.

# signed_rank(X, N, R): X[1..N], N >= 6, gives R["mid"], R["low"] and R["high"], an interval
# that holds at 95 % at least (beyond 20 by the normal approximation). 0 when N < 6.
function signed_rank(x, n, r,    rank, w, m, i, j, k) {
	# Which Walsh average from either end (Hollander & Wolfe, table A.4).
	split("0 0 0 0 0 1 3 4 6 9 11 14 18 22 26 30 35 41 47 53", rank, " ")
	if (n < 6)
		return 0
	k = n <= 20 ? rank[n] : int(n * (n + 1) / 4 - 1.96 * sqrt(n * (n + 1) * (2 * n + 1) / 24))
	for (i = 1; i <= n; i++)
		for (j = i; j <= n; j++)
			w[++m] = (x[i] + x[j]) / 2
	sorted(w, m)
	r["mid"] = (w[int((m + 1) / 2)] + w[int(m / 2) + 1]) / 2
	r["low"] = w[k]
	r["high"] = w[m + 1 - k]
	return 1
}

function sorted(a, n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]
			a[j] = a[j - 1]
			a[j - 1] = t
		}
}
