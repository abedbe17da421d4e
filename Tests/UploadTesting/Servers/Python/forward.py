"""Passes connections on: forward.py LISTEN TARGET, each HOST:PORT or the path of a socket in the file system."""

import asyncio
import sys

LISTEN, TARGET = sys.argv[1:]


def address(place: str) -> tuple[str, int]:
    host, port = place.rsplit(":", 1)
    return host, int(port)


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
    try:
        while data := await reader.read(1 << 18):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except (ConnectionError, TimeoutError, OSError):
        writer.transport.abort()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
    try:
        if TARGET.startswith("/"):
            other = await asyncio.open_unix_connection(TARGET)
        else:
            other = await asyncio.open_connection(*address(TARGET))
    except OSError:
        writer.transport.abort()
        return
    await asyncio.gather(pump(reader, other[1]), pump(other[0], writer))
    for end in (writer, other[1]):
        end.close()


async def main():
    if LISTEN.startswith("/"):
        server = await asyncio.start_unix_server(serve, LISTEN)
    else:
        server = await asyncio.start_server(serve, *address(LISTEN))
    await server.serve_forever()


asyncio.run(main())
