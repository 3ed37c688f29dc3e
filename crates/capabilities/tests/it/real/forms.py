"""Runs a program through the hub with an official Python client, of before (v1) or of today (v2);
its person answers forms."""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

which, url, code, answer = sys.argv[1:]
answer = json.loads(answer)
headers = {"Authorization": "Bearer " + os.environ["HUB_KEY"]}
asked = []

if which == "v1":
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client
    from mcp.types import ElicitResult
else:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp_types import ElicitResult


async def person(_context, params):
    asked.append(plain(params))
    return ElicitResult(**answer)


@asynccontextmanager
async def before():
    forms = {"elicitation_callback": person} if answer else {}
    async with streamablehttp_client(url, headers=headers, timeout=300) as streams:
        async with ClientSession(streams[0], streams[1], **forms) as session:
            hello = await session.initialize()
            yield session, hello.instructions


@asynccontextmanager
async def today():
    way = streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=300))
    async with Client(way, elicitation_callback=person if answer else None) as client:
        yield client, getattr(client, "instructions", None)


def plain(model):
    return model.model_dump(mode="json", by_alias=True)


async def main():
    async with before() if which == "v1" else today() as (client, instructions):
        tools = plain(await client.list_tools())
        result = await client.call_tool("execute", {"code": code})
        said = {
            "asked": asked,
            "envelope": plain(result)["structuredContent"],
            "result": plain(result),
            "tools": tools,
            "instructions": instructions,
        }
        print(json.dumps(said))


asyncio.run(main())
