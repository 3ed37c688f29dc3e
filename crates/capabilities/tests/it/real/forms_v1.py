"""Runs a program through the hub with the Python client of before; its person answers forms."""

import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ElicitResult

url, code, answer = sys.argv[1:]
answer = json.loads(answer)
asked = []


async def person(_context, params):
    asked.append(params.model_dump(mode="json", by_alias=True))
    return ElicitResult(**answer)


async def main():
    headers = {"Authorization": "Bearer " + os.environ["HUB_KEY"]}
    async with streamablehttp_client(url, headers=headers) as streams:
        forms = {"elicitation_callback": person} if answer else {}
        async with ClientSession(streams[0], streams[1], **forms) as session:
            hello = await session.initialize()
            tools = (await session.list_tools()).model_dump(mode="json", by_alias=True)
            result = await session.call_tool("execute", {"code": code})
            said = {
                "asked": asked,
                "envelope": result.structuredContent,
                "result": result.model_dump(mode="json", by_alias=True),
                "tools": tools,
                "instructions": hello.instructions,
            }
            print(json.dumps(said))


asyncio.run(main())
