"""Lists tools and runs a program through the hub with the Python client of today."""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

way, program, url, code = sys.argv[1:]


def target():
    if way == "stdio":
        environment = {"CAPABILITIES_HOME": os.environ["CAPABILITIES_HOME"]}
        return stdio_client(
            StdioServerParameters(command=program, args=["hub", "stdio"], env=environment)
        )
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": "Bearer " + os.environ["HUB_KEY"]}
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=300))


async def main():
    async with Client(target()) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("execute", {"code": code})
        print(json.dumps({"tools": tools, "envelope": result.structured_content}))


asyncio.run(main())
