// Operation run: one request that changes something, with its progress on standard error, and its outcome.
//
// Used by all control commands. Prints what went wrong, and the last output of the instance that failed when
// the daemon sent it; the caller prints the summary of success.
#pragma once

#include <string>

#include "cli/client.h"
#include "cli/console.h"

namespace clusterd::cli {

struct OperationOutcome {
  int status = 0;         // exit status
  nlohmann::json result;  // of a success
  bool ok() const { return status == 0; }
};

OperationOutcome run_operation(Client& client, const std::string& op, nlohmann::json args, Console& console);

// The result of a short request, without progress; what the daemon refused is an error like any other.
Result<nlohmann::json> ask(Client& client, const std::string& op, nlohmann::json args);

// Prints the error; returns its exit status.
int report(const Error& error, Console& console);
int report(const Response& failed, Console& console);

// "last output of the instance that failed:" and the lines, if the daemon sent them; else nothing.
std::string last_output_of(const Response& failed);

}  // namespace clusterd::cli
