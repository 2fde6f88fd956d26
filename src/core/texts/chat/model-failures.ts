/** What people read when a model gave no usable answer (FC-301, FC-311, FC-334). */
export const MODEL_FAILURES = {
  model_refused:
    "My model does not accept this conversation. Use /new to start over, /compact to shorten it, or /model to choose another model.",
  model_too_long:
    "This conversation is too long for my model. Use /compact to shorten it, /new to start over, or /model to choose another model.",
  model_account: "My model's provider refuses my account. The operator has been told.",
  model_unknown:
    "My model is not available at its provider. The operator has been told. Use /model to choose another model.",
  model_no_answer: "My model gave no answer. Rephrase your message, or use /model to choose another model.",
  model_filtered:
    "My model's provider withheld the answer because of its content rules. Rephrase your message, or use /model to choose another model.",
} as const;
