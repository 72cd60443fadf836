"""The questions, in the order in which they are asked."""

from .burst import Burst
from .children import Children
from .cold_start import ColdStart
from .command_latency import CommandLatency
from .connections import Connections
from .cpu_bound import CpuBound
from .crash import Crash
from .idle import Idle
from .log_path import LogPath
from .lost_requests import LostRequests
from .restart import Restart
from .scale import Scale
from .spread import Spread

ALL = (
    ColdStart,
    Children,
    CommandLatency,
    Idle,
    Crash,
    LostRequests,
    Spread,
    CpuBound,
    Burst,
    Connections,
    LogPath,
    Scale,
    Restart,
)
BY_KEY = {bench.key: bench for bench in ALL}
