// close_patiently: closes a descriptor of unknown kind without making the caller wait.
//
// For descriptors that a stranger sent: the last close of a lingering socket or of a file on a user's own
// file system may take as long as that user likes. Pipes, which never wait, are closed at once; the rest on a
// thread of its own.
#pragma once

namespace clusterd {

void close_patiently(int fd);

}  // namespace clusterd
