"""Lists tools and runs a program through the hub with the Python client of before."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

way, program, url, code = sys.argv[1:]


def target():
    if way == "stdio":
        environment = {"CAPABILITIES_HOME": os.environ["CAPABILITIES_HOME"]}
        return stdio_client(
            StdioServerParameters(command=program, args=["hub", "stdio"], env=environment)
        )
    return streamablehttp_client(url, headers={"Authorization": "Bearer " + os.environ["HUB_KEY"]})


async def main():
    async with target() as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            result = await session.call_tool("execute", {"code": code})
            print(json.dumps({"tools": tools, "envelope": result.structuredContent}))


asyncio.run(main())
