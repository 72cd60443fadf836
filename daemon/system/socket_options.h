// Socket options: carries over what a program set on its own socket to the one that replaces it.
//
// Called by BindTakeover::substitute. Accepted connections inherit most options of their listener, so a
// program that set, say, TCP_NODELAY before bind() expects it on every connection.
#pragma once

namespace clusterd {

// Options that differ on `from` from a fresh socket of its kind are set on `to`; defaults are left alone,
// because `to` may be shared by instances that have set theirs already. What `to` does not know is skipped.
void copy_changed_options(int from, int to);

}  // namespace clusterd
