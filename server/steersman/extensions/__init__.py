"""What an extension is written with: a class for each, an object of it for each session, and what its hooks are given.

A Python package makes one known by an entry point of the group `steersman.extensions`; the user enables it by name. An
extension can add, show and forbid; what may be done is for the session's policy to say, after it.
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
