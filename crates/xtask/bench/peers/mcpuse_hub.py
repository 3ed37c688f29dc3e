"""mcp-use's code mode (programs run inside its own process), as an MCP server of three methods."""

import asyncio
import json
import logging
import os
import sys

logging.disable(logging.CRITICAL)


async def main():
    # What the library prints must not mix with the protocol.
    protocol = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    from mcp_use import MCPClient

    command, *args = json.loads(os.environ["BENCH_UPSTREAM"])
    servers = {"mcpServers": {"everything": {"command": command, "args": args}}}
    client = MCPClient(servers, code_mode=True)
    await client.create_all_sessions()
    reader = asyncio.StreamReader(limit=64 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        message = json.loads(line)
        if "id" not in message:
            continue
        result = await answer(client, message["method"], message.get("params", {}))
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        protocol.write(text.encode() + b"\n")
    await client.close_all_sessions()


async def answer(client, method, params):
    if method == "initialize":
        info = {"name": "mcp-use", "version": "0"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": "execute_code", "inputSchema": {"type": "object"}}]}
    outcome = await client.execute_code(params["arguments"]["code"])
    text = json.dumps(outcome, default=str)
    return {"isError": bool(outcome.get("error")), "content": [{"type": "text", "text": text}]}


asyncio.run(main())
