"""FastMCP's code mode in front of one MCP source."""

import json
import logging
import os

logging.disable(logging.CRITICAL)

from fastmcp.experimental.transforms.code_mode import CodeMode  # noqa: E402
from fastmcp.server import create_proxy  # noqa: E402

command, *args = json.loads(os.environ["BENCH_UPSTREAM"])
hub = create_proxy({"mcpServers": {"everything": {"command": command, "args": args}}}, name="bench")
hub.add_transform(CodeMode(max_tool_calls=None))
hub.run(transport="stdio", show_banner=False)
