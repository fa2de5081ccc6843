#!/usr/bin/env python3
"""Passes connections on, each byte later by half of a round trip: delay.py LISTEN_PORT UNIX_SOCKET ROUND_TRIP_MS"""
import asyncio
import socket
import sys

half = float(sys.argv[3]) / 2000


async def serve(reader, writer):
    there = await asyncio.open_unix_connection(sys.argv[2])
    await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))


async def pump(reader, writer):
    """Bytes leave in the order they came, each half a round trip after it came."""
    loop = asyncio.get_running_loop()
    writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) \
        if writer.get_extra_info("socket").family == socket.AF_INET else None
    while data := await reader.read(1 << 18):
        loop.call_later(half, write, writer, data)
    loop.call_later(half, writer.close)


def write(writer, data):
    if not writer.is_closing():
        writer.write(data)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
