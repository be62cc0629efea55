"""The product around the kernel: sessions and their log, policy, approvals, settings, context."""
