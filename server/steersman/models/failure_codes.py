"""The kind of each code that providers put into an error's code, type or status, and of each HTTP status."""

from collections.abc import Mapping
from typing import Final

from steersman.agent.model import FailureKind

CODES: Final[Mapping[str, FailureKind]] = {
    # OpenAI, and others that use its codes: platform.openai.com/docs/guides/error-codes
    "invalid_api_key": "auth",
    "account_deactivated": "permission",
    "unsupported_country_region_territory": "permission",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_not_active": "quota",
    "rate_limit_exceeded": "rate_limit",
    "slow_down": "overloaded",
    "context_length_exceeded": "context_overflow",
    "string_above_max_length": "context_overflow",
    "model_not_found": "not_found",
    "invalid_value": "bad_request",
    "unsupported_value": "bad_request",
    "unsupported_parameter": "bad_request",
    "unknown_parameter": "bad_request",
    "content_filter": "refused",
    "content_policy_violation": "refused",
    "moderation_blocked": "refused",
    "invalid_prompt": "refused",
    # OpenAI's Responses API: the codes of a response's error, in the API reference
    "image_content_policy_violation": "refused",
    **dict.fromkeys(
        (
            "invalid_image",
            "invalid_image_format",
            "invalid_base64_image",
            "invalid_image_url",
            "invalid_image_mode",
            "image_too_large",
            "image_too_small",
            "image_parse_error",
            "image_file_too_large",
            "unsupported_image_media_type",
            "empty_image_file",
            "failed_to_download_image",
            "image_file_not_found",
        ),
        "bad_request",
    ),
    # Anthropic: docs.anthropic.com/en/api/errors
    "authentication_error": "auth",
    "permission_error": "permission",
    "billing_error": "quota",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "request_too_large": "context_overflow",
    "timeout_error": "timeout",
    # Google: google.rpc.Code
    "unauthenticated": "auth",
    "permission_denied": "permission",
    "failed_precondition": "permission",
    "deadline_exceeded": "timeout",
    "unavailable": "overloaded",
    # Azure
    "ratelimitreached": "rate_limit",
    "deploymentnotfound": "not_found",
    "responsibleaipolicyviolation": "refused",
    # Moonshot: platform.moonshot.ai/docs/api/chat#error-response
    "invalid_authentication_error": "auth",
    "permission_denied_error": "permission",
    "exceeded_current_quota_error": "quota",
    "rate_limit_reached_error": "rate_limit",
    "engine_overloaded_error": "overloaded",
    "resource_not_found_error": "not_found",
    # Alibaba's Model Studio (Qwen): alibabacloud.com/help/en/model-studio/error-code
    "invalidapikey": "auth",
    "accessdenied": "permission",
    "access_denied": "permission",
    "arrearage": "quota",
    "throttling": "rate_limit",
    "throttling.ratequota": "rate_limit",
    "throttling.allocationquota": "rate_limit",
    "limit_requests": "rate_limit",
    "limit_burst_rate": "rate_limit",
    "datainspectionfailed": "refused",
    "data_inspection_failed": "refused",
    # Zhipu, and Z.ai: docs.z.ai/api-reference/api-code. Mistral, whose codes are numbers too, uses none of these.
    "1000": "auth",
    "1001": "auth",
    "1002": "auth",
    "1003": "auth",
    "1004": "auth",
    "1112": "permission",
    "1113": "quota",
    "1121": "permission",
    "1211": "not_found",
    "1220": "permission",
    "1261": "context_overflow",
    "1301": "refused",
    "1302": "rate_limit",
    "1303": "rate_limit",
    "1304": "quota",
    "1305": "rate_limit",
    "1308": "quota",
    "1309": "quota",
    "1310": "quota",
    "1311": "permission",
    "1312": "overloaded",
    # Mistral
    "invalid_model": "not_found",
    "rate_limited": "rate_limit",
    "service_tier_capacity_exceeded": "overloaded",
    # Groq: console.groq.com/docs/errors
    "tool_use_failed": "tool_use_failed",
    "json_validate_failed": "bad_request",
    # Together, xAI, DeepSeek, llama.cpp
    "model_not_available": "not_found",
    "some resource has been exhausted": "quota",
    "insufficient_balance": "quota",
    "exceed_context_size_error": "context_overflow",
    "engine_overloaded": "overloaded",
}
"""Codes that decide, whatever the status."""

VAGUE_CODES: Final[Mapping[str, FailureKind]] = {
    "server_error": "server",
    "internal_server_error": "server",
    "internalservererror": "server",
    "api_error": "server",
    "internal": "server",
    "timeout": "timeout",
    "not_found": "not_found",
    "notfounderror": "not_found",
    "resource_exhausted": "rate_limit",
    "invalid_request_error": "bad_request",
    "badrequesterror": "bad_request",
    "invalid_argument": "bad_request",
}
"""Codes that providers put on failures of other kinds too. They count only if nothing else decides."""

ABOVE_CODES: Final[Mapping[int, FailureKind]] = {
    407: "auth",
    # Groq's has the code of a rate limit if the request alone exceeds the limit for a minute.
    413: "context_overflow",
}
"""Statuses that decide, whatever the code."""

STATUSES: Final[Mapping[int, FailureKind]] = {
    401: "auth",
    402: "quota",
    403: "permission",
    404: "not_found",
    408: "timeout",
    429: "rate_limit",
    451: "refused",
    503: "overloaded",
    524: "timeout",
    529: "overloaded",
}
