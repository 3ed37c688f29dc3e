"""Runs a program through the hub with the Python client of today; its person answers forms."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

url, code, answer = sys.argv[1:]
answer = json.loads(answer)
asked = []


async def person(_context, params):
    asked.append(params.model_dump(mode="json", by_alias=True))
    return ElicitResult(**answer)


async def main():
    headers = {"Authorization": "Bearer " + os.environ["HUB_KEY"]}
    way = streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers))
    async with Client(way, elicitation_callback=person if answer else None) as client:
        tools = (await client.list_tools()).model_dump(mode="json", by_alias=True)
        result = await client.call_tool("execute", {"code": code})
        said = {
            "asked": asked,
            "envelope": result.structured_content,
            "result": result.model_dump(mode="json", by_alias=True),
            "tools": tools,
            "instructions": getattr(client, "instructions", None),
        }
        print(json.dumps(said))


asyncio.run(main())
