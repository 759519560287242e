"""Turkish as people type it: words mended for the models, token for token, while the text stays the writer's."""

from vnlp_colab.text.informal.mending import STEPS, check_steps, mend_text, mend_tokens
from vnlp_colab.text.informal.noticing import typed_without_turkish_letters

__all__ = ["STEPS", "check_steps", "mend_text", "mend_tokens", "typed_without_turkish_letters"]
