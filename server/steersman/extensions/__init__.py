"""Everything needed to write an extension: the class to derive from, its session, and what its hooks are given.

A Python package offers one by an entry point of the group `steersman.extensions`, and the user enables it by name. Each
session has its own object of the class. An extension can add, show and forbid; what is allowed is decided afterwards,
by the session's policy.
"""

from steersman.agent.abort import AbortSignal
from steersman.agent.events import Input
from steersman.agent.hooks import Block, NextTurn, PendingCall, Stop, TurnSummary
from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Image,
    Json,
    JsonObject,
    Message,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import Model
from steersman.agent.tool import Tool, ToolContext, ToolError, ToolResult, text_result
from steersman.extensions.extension import CannotGoOn, Command, CommandFailed, Extension
from steersman.extensions.session import NotPossible, Session
from steersman.tools.base import BaseTool
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import Arguments
from steersman.workspace.ports import Workspace

__all__ = [
    "AbortSignal",
    "Arguments",
    "AssistantMessage",
    "BaseTool",
    "Block",
    "CannotGoOn",
    "Command",
    "CommandFailed",
    "CustomMessage",
    "Extension",
    "Image",
    "Input",
    "Json",
    "JsonObject",
    "Message",
    "Model",
    "NextTurn",
    "NotPossible",
    "PendingCall",
    "Session",
    "Stop",
    "Text",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "ToolResultMessage",
    "TurnSummary",
    "UserMessage",
    "Workspace",
    "access_needed",
    "require_access",
    "text_result",
]
