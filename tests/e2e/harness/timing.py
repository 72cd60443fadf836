"""How long requests on new connections take, asked at a steady rate whatever the answers do."""

import asyncio
import time

from . import kept


async def _ask(port: int, path: str) -> float:
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(kept.REQUEST % path.encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    await reader.readline()
    writer.close()
    return time.monotonic() - began


async def _ask_all(port: int, path: str, count: int, rate: float, timeout: float) -> list[float]:
    began, asked = time.monotonic(), []
    for number in range(count):
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        asked.append(asyncio.create_task(asyncio.wait_for(_ask(port, path), timeout)))
    return await asyncio.gather(*asked)


def latencies(port: int, count: int, rate: float, path: str = "/", timeout: float = 20.0) -> list[float]:
    """Seconds of each request, shortest first; any failure is an exception."""
    return sorted(asyncio.run(_ask_all(port, path, count, rate, timeout)))


def percentile(sorted_values: list[float], percent: float) -> float:
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * percent / 100))]
