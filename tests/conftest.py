"""What all tests share: hypothesis profiles, and the words in which cards are written."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("normal", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("normal")
